"""What a run names is held against what there is; of what is not known nothing is refused."""

from __future__ import annotations

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.reference import Known, complaints
from support.world import aligned

SUITES = {
    "cultural-safety": "source: {kind: seeds}",
    "over-refusal": "source: {kind: seeds}",
    "kmmlu": "source: {kind: file}",
}


def told(run: AlignmentRun, known: Known, unseen: str = "") -> list[tuple[str, str]]:
    return [(".".join(map(str, where)), what) for where, what in complaints(run, known, lambda _: unseen)]


def evaluated(suites: str) -> AlignmentRun:
    return aligned(lambda text: text.replace("[{name: cultural-safety}, {name: over-refusal}]", suites))


def test_where_nothing_is_known_nothing_is_refused() -> None:
    assert told(evaluated("[{name: anything}]"), Known()) == []


def test_everything_that_is_wrong_is_told_at_once() -> None:
    known = Known(["ja-JP"], ["strict"], {"citation": "source: {kind: questions}"})
    assert [where for where, _ in told(aligned(), known)] == [
        "spec.culture.name",
        "spec.gate.policyRef.name",
        "spec.evaluation.suites.0.name",
        "spec.evaluation.suites.1.name",
    ]


def test_a_whole_public_suite_may_be_asked_for_but_not_more_items_than_can_be_made() -> None:
    assert told(evaluated("[{name: kmmlu, data: 'hf:a/b', items: 35030}]"), Known(suites=SUITES)) == []
    assert told(evaluated("[{name: cultural-safety, items: 5000}]"), Known(suites=SUITES)) == []
    assert told(evaluated("[{name: cultural-safety, items: 5001}]"), Known(suites=SUITES)) == [
        ("spec.evaluation.suites.0.items", "5001 is more than cultural-safety can make; ask for at most 5000")
    ]


def test_what_a_hand_says_of_a_path_stands_behind_the_value() -> None:
    assert told(evaluated("[{name: kmmlu, data: /nowhere}]"), Known(suites=SUITES), "does not exist; fetch it") == [
        ("spec.evaluation.suites.0.data", "'/nowhere' does not exist; fetch it")
    ]
