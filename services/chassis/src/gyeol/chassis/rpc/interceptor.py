"""What happens around every call: an error becomes its status, a call is counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
import grpc.aio

from gyeol.chassis import logs, metrics
from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.chassis.outcomes import TABLE, meaning_of

_log = logs.get()


class OutcomeInterceptor(grpc.aio.ServerInterceptor):
    """Aborts with the status that the table of outcomes gives to the error's meaning."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler:
        handler: Any = await continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or method.startswith("/grpc."):
            return handler
        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(
                _answering(method, handler.unary_unary), handler.request_deserializer, handler.response_serializer
            )
        if handler.unary_stream:
            return grpc.unary_stream_rpc_method_handler(
                _streaming(method, handler.unary_stream), handler.request_deserializer, handler.response_serializer
            )
        return handler


def _answering(method: str, behaviour: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    answered = metrics.CALLS.labels(method, "OK")

    async def answer(request: Any, context: Any) -> Any:
        try:
            response = await behaviour(request, context)
        except (asyncio.CancelledError, grpc.aio.AbortError, grpc.aio.BaseError):
            raise
        except Exception as error:
            await _abort(method, context, error)
        answered.inc()
        return response

    return answer


def _streaming(
    method: str, behaviour: Callable[[Any, Any], AsyncIterator[Any]]
) -> Callable[[Any, Any], AsyncIterator[Any]]:
    async def stream(request: Any, context: Any) -> AsyncIterator[Any]:
        try:
            async for response in behaviour(request, context):
                yield response
        except Exception as error:
            await _abort(method, context, error)

    return stream


async def _abort(method: str, context: Any, error: Exception) -> None:
    meaning = meaning_of(error)
    status = TABLE[meaning].status
    metrics.CALLS.labels(method, status.name).inc()
    if meaning is Meaning.INTERNAL:
        _log.error("call_failed", method=method, exc_info=error)
    detail = str(error) if isinstance(error, GyeolError) else f"{type(error).__name__} in {method}; see the log"
    await context.abort(status, detail)
