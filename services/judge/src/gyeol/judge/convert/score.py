"""Scores, faults and criteria on their way out."""

from __future__ import annotations

from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.judge.v1 import judge_pb2
from gyeol.api.score.v1 import score_pb2
from gyeol.judge.domain.case import Criterion
from gyeol.judge.domain.fault import Fault
from gyeol.judge.domain.score import Measure, Unscored, Vote


def measure_to_pb(measure: Measure) -> score_pb2.ResponseScore:
    return score_pb2.ResponseScore(
        judge=measure.judge,
        compliance=measure.compliance,
        rubrics=[vote_to_pb(vote) for vote in measure.rubrics],
        safe=measure.safe,
        refused=measure.refused,
        unscored=None if measure.unscored is None else unscored_to_pb(measure.unscored),
        coherence=measure.coherence,
        stance=score_pb2.STANCE_UNSPECIFIED
        if measure.stance is None
        else score_pb2.Stance.Value(f"STANCE_{measure.stance.value}"),
    )


def vote_to_pb(vote: Vote) -> score_pb2.CriterionScore:
    if isinstance(vote.outcome, Unscored):
        return score_pb2.CriterionScore(
            criterion=vote.criterion, unscored=unscored_to_pb(vote.outcome), reason=vote.reason
        )
    return score_pb2.CriterionScore(criterion=vote.criterion, met=vote.outcome, reason=vote.reason)


def unscored_to_pb(unscored: Unscored) -> failure_pb2.Unscored:
    return failure_pb2.Unscored(
        reason=failure_pb2.UnscoredReason.Value(f"UNSCORED_REASON_{unscored.reason.value}"), detail=unscored.detail
    )


def fault_to_pb(fault: Fault) -> judge_pb2.RegisterFault:
    return judge_pb2.RegisterFault(
        kind=fault.kind, start=fault.start, end=fault.end, text=fault.text, remedy=fault.remedy
    )


def criterion_to_pb(criterion: Criterion) -> judge_pb2.Criterion:
    return judge_pb2.Criterion(
        id=criterion.id, judge=criterion.judge, text_ko=criterion.text_ko, text_en=criterion.text_en
    )
