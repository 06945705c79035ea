"""What the policy service knows of the law: every statute and office that a text names, looked up on a date."""

from __future__ import annotations

import grpc.aio

from gyeol.api.policy.v1.policy_pb2 import VerifyCitationsRequest
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub
from gyeol.judge.convert.reference import references_from_pb
from gyeol.judge.domain.case import References


class PolicyLaw:
    """Asks the policy service."""

    def __init__(self, channel: grpc.aio.Channel, *, timeout: float = 30.0) -> None:
        self._stub = PolicyServiceStub(channel)
        self._timeout = timeout

    async def references(self, text: str, on: str, culture: str) -> References:
        """Looks up what the text names. An unreachable service is an error, never an unchecked citation."""
        request = VerifyCitationsRequest(text=text, on=on, culture=culture)
        return references_from_pb(await self._stub.VerifyCitations(request, timeout=self._timeout))
