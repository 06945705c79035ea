"""Scores a response by the judges of the judge service: safe, refused."""

from __future__ import annotations

from collections.abc import Sequence

import grpc

from gyeol.api.candidate.v1.candidate_pb2 import ChatMessage
from gyeol.api.failure.v1.failure_pb2 import UnscoredReason as UnscoredReasonPb
from gyeol.api.judge.v1.judge_pb2 import ScoreResponseRequest
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub
from gyeol.api.policy.v1.policy_pb2 import RenderedPolicy
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.score.v1.score_pb2 import ResponseScore
from gyeol.api.seed.v1.seed_pb2 import Seed
from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored, UnscoredReason

_REASONS: dict[str, UnscoredReason] = {
    "UNSCORED_REASON_JUDGE_FAILED": "JudgeFailed",
    "UNSCORED_REASON_INFRA_FAILED": "InfraFailed",
    "UNSCORED_REASON_MODEL_FAILED": "ModelFailed",
    "UNSCORED_REASON_REFUSED": "Refused",
}


class ResponseScorer:
    """Asks the judge service; judges are the same that filter triplets."""

    def __init__(self, judges: grpc.aio.Channel, run: RunContext) -> None:
        self._judge = JudgeServiceStub(judges)
        self._run = run

    async def outcomes(self, item: Item, answer: Answer, metrics: Sequence[str]) -> dict[str, Outcome]:
        """One outcome per metric name."""
        request = ScoreResponseRequest(
            run=self._run,
            seed=Seed.FromString(item.expected["seed"]),
            policy=RenderedPolicy.FromString(item.expected["policy"]),
            prompt=[ChatMessage(role=message.role, content=message.content) for message in item.messages],
            response=answer.text,
            finish_reason=answer.finish_reason,
            with_coherence="coherence" in metrics,
        )
        try:
            scored = await self._judge.ScoreResponse(request)
        except grpc.aio.AioRpcError as error:
            return dict.fromkeys(metrics, Unscored("InfraFailed", f"judge service: {error.code().name}"))
        return {metric: _outcome(scored.score, metric) for metric in metrics}


def _outcome(score: ResponseScore, metric: str) -> Outcome:
    if score.HasField("unscored"):
        return Unscored(
            _REASONS.get(UnscoredReasonPb.Name(score.unscored.reason), "JudgeFailed"), score.unscored.detail
        )
    if not score.HasField(metric):  # type: ignore[arg-type]
        return Unscored("JudgeFailed", f"the judges gave no {metric}")
    return Scored(float(getattr(score, metric)))
