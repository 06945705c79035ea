"""A deadline for calls that were given none: every wait ends."""

from __future__ import annotations

from typing import Any, Final

import grpc.aio

SECONDS: Final = 300.0
"""The timeout of a service configuration would be the usual way, but grpc.aio 1.85 lets such calls fail at once."""


def _limited(details: grpc.aio.ClientCallDetails) -> grpc.aio.ClientCallDetails:
    if details.timeout is not None:
        return details
    return grpc.aio.ClientCallDetails(
        details.method, SECONDS, details.metadata, details.credentials, details.wait_for_ready
    )


class UnaryDeadline(grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(
        self, continuation: Any, client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        return await continuation(_limited(client_call_details), request)


class StreamDeadline(grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(
        self, continuation: Any, client_call_details: grpc.aio.ClientCallDetails, request: Any
    ) -> Any:
        return await continuation(_limited(client_call_details), request)
