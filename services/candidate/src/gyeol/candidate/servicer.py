"""The gRPC door."""

from __future__ import annotations

from typing import Any

from grpc.aio import ServicerContext
from typing_extensions import override

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten, WriteCandidatesRequest, WriteCandidatesResponse
from gyeol.api.candidate.v1.candidate_pb2_grpc import CandidateServiceServicer
from gyeol.candidate.desk import Desk
from gyeol.candidate.domain.usage import Spending


class CandidateServicer(CandidateServiceServicer):
    """Writes the candidates of one record without publishing them."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @override
    async def WriteCandidates(
        self, request: WriteCandidatesRequest, context: ServicerContext[Any, Any]
    ) -> WriteCandidatesResponse:
        output = await self._desk.work(request, Spending())
        if isinstance(output, CandidatesWritten):
            return WriteCandidatesResponse(written=output)
        return WriteCandidatesResponse(dropped=output)
