from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from gyeol.judge.domain.case import Decision
from gyeol.judge.domain.panel import CRITERIA, Ballot, decided, dissent, unreachable
from gyeol.judge.domain.score import Reason, Unscored, Vote

FAILED = Unscored(Reason.JUDGE_FAILED, "the reply is not one JSON object")
AWAY = Unscored(Reason.INFRA_FAILED, "endpoint judge-b is overloaded (429)")


def ballot(
    judge: str, against: Iterable[str] = (), unscored: Unscored | None = None, *, quotable: bool = True
) -> Ballot:
    def outcome(criterion: str) -> bool | Unscored:
        if criterion not in against:
            return True
        return unscored if unscored is not None else False

    return Ballot(judge, tuple(Vote(c, outcome(c), f"{c} 까닭") for c in CRITERIA), quotable=quotable)


def test_eighteen_passes_are_unanimous() -> None:
    verdict = decided([ballot("a"), ballot("b"), ballot("c")], Decision.UNANIMOUS)

    assert verdict.accepted
    assert not verdict.disputed


def test_one_veto_of_one_criterion_breaks_unanimity() -> None:
    verdict = decided([ballot("a"), ballot("b", ["c5"]), ballot("c")], Decision.UNANIMOUS)

    assert not verdict.accepted
    assert verdict.vetoes == {"b": ("c5",)}


def test_a_majority_outvotes_one_veto_and_the_triplet_is_disputed() -> None:
    verdict = decided([ballot("a"), ballot("b", ["c5"]), ballot("c")], Decision.MAJORITY)

    assert verdict.accepted
    assert verdict.disputed


def test_a_majority_is_counted_for_each_criterion() -> None:
    verdict = decided([ballot("a", ["c1"]), ballot("b", ["c1"]), ballot("c")], Decision.MAJORITY)

    assert not verdict.accepted


def test_half_is_no_majority() -> None:
    assert not decided([ballot("a"), ballot("b", ["c2"])], Decision.MAJORITY).accepted


def test_nobody_accepts_nothing() -> None:
    assert not decided([], Decision.UNANIMOUS).accepted
    assert not decided([], Decision.MAJORITY).accepted


def test_an_unscored_criterion_is_not_met() -> None:
    assert not decided([ballot("a"), ballot("b", ["c6"], FAILED)], Decision.UNANIMOUS).accepted


def test_a_missing_vote_is_not_met() -> None:
    short = Ballot("b", ballot("b").votes[:5])
    verdict = decided([ballot("a"), short], Decision.UNANIMOUS)

    assert verdict.vetoes == {"b": ("c6",)}
    assert "c6 (no vote)" in dissent([ballot("a"), short], verdict)


def test_a_judge_out_of_reach_is_told_apart_from_one_that_failed() -> None:
    assert unreachable([ballot("a"), ballot("b", ["c1"], AWAY)]) == ("b", AWAY)
    assert unreachable([ballot("a"), ballot("b", ["c1"], FAILED)]) is None


def test_the_dissent_names_judge_criterion_and_reason() -> None:
    ballots = [ballot("a", ["c4"]), ballot("b", ["c1"], FAILED)]
    told = dissent(ballots, decided(ballots, Decision.UNANIMOUS))

    assert told == "a: c4 (c4 까닭); b: c1 (JUDGE_FAILED: the reply is not one JSON object)"


def test_what_a_model_wrote_stays_out_of_the_dissent() -> None:
    ballots = [ballot("model", ["c4"], quotable=False)]

    assert dissent(ballots, decided(ballots, Decision.UNANIMOUS)) == "model: c4"


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=1, max_size=5))
def test_unanimity_implies_majority(cast: list[list[bool]]) -> None:
    ballots = [
        ballot(f"j{number}", [criterion for criterion, met in zip(CRITERIA, row, strict=True) if not met])
        for number, row in enumerate(cast)
    ]
    unanimous, majority = decided(ballots, Decision.UNANIMOUS), decided(ballots, Decision.MAJORITY)

    assert unanimous.accepted == all(all(row) for row in cast)
    assert not unanimous.accepted or majority.accepted
    assert not unanimous.disputed
