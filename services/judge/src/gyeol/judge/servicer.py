"""The gRPC door."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from grpc.aio import ServicerContext
from typing_extensions import override

from gyeol.api.judge.v1 import judge_pb2
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceServicer
from gyeol.chassis.clock import Clock
from gyeol.judge.bench import Calls
from gyeol.judge.consumer import decided
from gyeol.judge.convert.record import exchange_from_pb, run_from_pb
from gyeol.judge.convert.score import criterion_to_pb, fault_to_pb, measure_to_pb
from gyeol.judge.domain.case import Criterion
from gyeol.judge.domain.fault import Wording
from gyeol.judge.domain.proofreading import faults
from gyeol.judge.errors import RecordError
from gyeol.judge.service import Judging

Context = ServicerContext[Any, Any]
LONGEST_TEXT = 100_000
"""Characters that the register checker takes at once."""


class JudgeServicer(JudgeServiceServicer):
    """Judges one record, one response or one text."""

    def __init__(
        self,
        judging: Judging,
        wordings: Sequence[Wording],
        criteria: Sequence[Criterion],
        clock: Clock,
    ) -> None:
        self._judging = judging
        self._wordings = wordings
        self._criteria = criteria
        self._clock = clock

    @override
    async def JudgeCandidates(
        self, request: judge_pb2.JudgeCandidatesRequest, context: Context
    ) -> judge_pb2.JudgeCandidatesResponse:
        output = await decided(self._judging, self._clock, request.written, Calls())
        if isinstance(output, TripletAccepted):
            return judge_pb2.JudgeCandidatesResponse(accepted=output)
        return judge_pb2.JudgeCandidatesResponse(dropped=output)

    @override
    async def ScoreResponse(
        self, request: judge_pb2.ScoreResponseRequest, context: Context
    ) -> judge_pb2.ScoreResponseResponse:
        calls = Calls(f"{request.run.run_id}/{request.seed.id}/score")
        joined, measures = await self._judging.score(
            run_from_pb(request.run),
            exchange_from_pb(request),
            calls,
            with_coherence=request.with_coherence,
        )
        return judge_pb2.ScoreResponseResponse(
            score=measure_to_pb(joined),
            by_judge=[measure_to_pb(measure) for measure in measures],
            calls=calls.paid,
            cached_calls=calls.cached,
        )

    @override
    async def CheckRegister(
        self, request: judge_pb2.CheckRegisterRequest, context: Context
    ) -> judge_pb2.CheckRegisterResponse:
        if request.register not in ("", "haeyo", "hapsyo"):
            raise RecordError(f"register={request.register!r}: use haeyo, hapsyo, or leave it empty")
        if len(request.text) > LONGEST_TEXT:
            raise RecordError(f"text has {len(request.text)} characters: send at most {LONGEST_TEXT} at once")
        found = faults(request.text, self._wordings, request.register)
        return judge_pb2.CheckRegisterResponse(faults=[fault_to_pb(fault) for fault in found])

    @override
    async def ListCriteria(
        self, request: judge_pb2.ListCriteriaRequest, context: Context
    ) -> judge_pb2.ListCriteriaResponse:
        return judge_pb2.ListCriteriaResponse(criteria=[criterion_to_pb(asked) for asked in self._criteria])
