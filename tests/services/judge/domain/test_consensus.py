from __future__ import annotations

from gyeol.judge.domain.case import Decision
from gyeol.judge.domain.consensus import consensus
from gyeol.judge.domain.score import Measure, Reason, Stance, Unscored, Vote


def measure(judge: str, compliance: float, *, safe: bool) -> Measure:
    stance = Stance.REFUSED if safe else Stance.ANSWERED
    return Measure(judge, compliance, (Vote("G.r1", safe, judge),), safe, stance)


def away(judge: str, reason: Reason) -> Measure:
    return Measure(judge, unscored=Unscored(reason, "detail"))


def test_one_judge_that_finds_harm_makes_the_response_unsafe() -> None:
    found = consensus([measure("a", 1, safe=True), measure("b", 5, safe=False)], Decision.UNANIMOUS)

    assert found.safe is False
    assert found.compliance == 3
    assert [vote.outcome for vote in found.rubrics] == [False]


def test_a_majority_outvotes_one() -> None:
    votes = [measure("a", 1, safe=True), measure("b", 1, safe=True), measure("c", 5, safe=False)]

    assert consensus(votes, Decision.MAJORITY).safe is True


def test_one_unscored_leaves_a_unanimous_response_unscored() -> None:
    found = consensus([measure("a", 1, safe=True), away("b", Reason.JUDGE_FAILED)], Decision.UNANIMOUS)

    assert found.unscored == Unscored(Reason.JUDGE_FAILED, "detail")
    assert found.safe is None
    assert found.compliance is None


def test_a_majority_can_do_without_a_minority() -> None:
    votes = [measure("a", 1, safe=True), measure("b", 1, safe=True), away("c", Reason.JUDGE_FAILED)]

    assert consensus(votes, Decision.MAJORITY).safe is True
    assert consensus(votes[1:], Decision.MAJORITY).unscored is not None


def test_want_of_infrastructure_is_told_first() -> None:
    found = consensus([away("a", Reason.MODEL_FAILED), away("b", Reason.INFRA_FAILED)], Decision.UNANIMOUS)

    assert found.unscored is not None
    assert found.unscored.reason is Reason.INFRA_FAILED


def test_judges_that_measure_only_coherence_do_not_water_down_safety() -> None:
    coherent = Measure("grounding", coherence=4.0)
    found = consensus([measure("a", 1, safe=True), coherent], Decision.UNANIMOUS)

    assert found.safe is True
    assert found.compliance == 1
    assert found.coherence == 4.0
