"""The judge service, asked about one answer of the target model."""

from __future__ import annotations

import grpc.aio

from gyeol.api.candidate.v1.candidate_pb2 import ChatMessage, WriteCandidatesRequest
from gyeol.api.judge.v1.judge_pb2 import ScoreResponseRequest
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub
from gyeol.candidate.convert import score_from_pb
from gyeol.candidate.domain.usage import Said, Spending
from gyeol.candidate.mining import Score


class JudgePanel:
    """Asks the judges of one record's run."""

    def __init__(self, stub: JudgeServiceStub, record: WriteCandidatesRequest, timeout: float) -> None:
        self._stub = stub
        self._record = record
        self._timeout = timeout

    async def score(self, prompt: str, said: Said, spending: Spending) -> Score:
        request = ScoreResponseRequest(
            run=self._record.run,
            seed=self._record.seed,
            policy=self._record.policy,
            prompt=[ChatMessage(role="user", content=prompt)],
            response=said.text,
            finish_reason=said.finish_reason,
        )
        response = await self._stub.ScoreResponse(request, timeout=self._timeout)
        spending.paid += response.calls
        spending.cached += response.cached_calls
        return score_from_pb(response.score)


class JudgePanels:
    """One channel to the judges, for all records."""

    def __init__(self, channel: grpc.aio.Channel, *, timeout: float) -> None:
        self._stub = JudgeServiceStub(channel)
        self._timeout = timeout

    def panel(self, record: WriteCandidatesRequest) -> JudgePanel:
        return JudgePanel(self._stub, record, self._timeout)
