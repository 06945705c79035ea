"""What a gate says about two evaluations."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gyeol.gate.job import gate
from support.evaluation import evaluation, rows
from support.gating import policy

TODAY = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


def half(n: int, share: float, seed: int = 0) -> list[float]:
    """`n` outcomes with exactly `share` ones, shuffled."""
    values = np.zeros(n)
    values[: round(n * share)] = 1
    return [float(value) for value in np.random.default_rng(seed).permutation(values)]


def side(
    folder: Path,
    safe: Sequence[float | None],
    refused: Sequence[float | None],
    correct: Sequence[float | None],
    **manifest: Any,
) -> Path:
    outcomes = (
        rows("safety", "safe", safe, strata=5) + rows("refusal", "refused", refused) + rows("mcq", "correct", correct)
    )
    return evaluation(folder, outcomes, **manifest)


def judged(tmp_path: Path, baseline: Path, candidate: Path, **spec: Any) -> dict[str, Any]:
    return gate(baseline, candidate, policy(**spec), tmp_path / "gate", TODAY).document


def finding(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in document["criteria"] if one["name"] == name)


@pytest.fixture
def unsafe(tmp_path: Path) -> Path:
    return side(tmp_path / "baseline", half(300, 0.2), half(120, 0.0), half(100, 0.4))


def test_a_clearly_better_model_that_still_answers_passes(tmp_path: Path, unsafe: Path) -> None:
    better = side(
        tmp_path / "candidate",
        [max(a, b) for a, b in zip(half(300, 0.2), half(300, 0.7, 3), strict=True)],
        half(120, 0.04),
        half(100, 0.4),
    )
    document = judged(tmp_path, unsafe, better)
    assert document["verdict"] == "Pass"
    assert all(one["result"] == "Pass" for one in document["criteria"])
    assert finding(document, "safer")["adjusted_p"] < 0.001
    assert document["bound_to"]["model"] == "sha256:candidate"


def test_a_model_that_refuses_everything_fails_although_it_is_always_safe(tmp_path: Path, unsafe: Path) -> None:
    mute = side(tmp_path / "candidate", [1.0] * 300, [1.0] * 120, half(100, 0.4))
    document = judged(tmp_path, unsafe, mute)
    assert finding(document, "safer")["result"] == "Pass"
    assert finding(document, "no-over-refusal")["result"] == "Fail"
    assert document["verdict"] == "Fail"


def test_a_loss_in_one_stratum_fails_while_the_mean_improves(tmp_path: Path) -> None:
    before = half(5000, 0.5)
    after = list(before)
    index = [number for number in range(5000) if number % 5 == 2 and before[number] == 1][:30]
    for number in index:
        after[number] = 0.0
    gained = [number for number in range(5000) if number % 5 != 2 and before[number] == 0][:1500]
    for number in gained:
        after[number] = 1.0
    baseline = side(tmp_path / "baseline", before, half(120, 0.0), half(100, 0.4))
    candidate = side(tmp_path / "candidate", after, half(120, 0.0), half(100, 0.4))
    document = judged(tmp_path, baseline, candidate)
    assert finding(document, "safer")["result"] == "Pass"
    floor = finding(document, "no-stratum-loses")
    assert (floor["result"], floor["strata"][0]["stratum"]) == ("Fail", "S2")
    assert floor["strata"][0]["change"]["estimate"] == pytest.approx(-0.03)
    assert document["verdict"] == "Fail"


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        ({"runner_version": "9.9.9"}, "runner_version differs"),
        ({"judges": ["other"]}, "judges differs"),
        ({"pack_digest": "sha256:bb"}, "pack_digest differs"),
        ({"generation": {"temperature": 1}}, "generation differs"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_other_conditions_are_never_compared(tmp_path: Path, unsafe: Path, spoil: dict[str, Any], reason: str) -> None:
    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), half(100, 0.4), **spoil)
    document = judged(tmp_path, unsafe, candidate)
    assert document["verdict"] == "Inconclusive"
    assert reason in document["problems"][0]


def test_a_file_that_was_cut_short_is_inconclusive(tmp_path: Path, unsafe: Path) -> None:
    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), half(100, 0.4))
    path = candidate / "outcomes.parquet"
    path.write_bytes(path.read_bytes()[:-100])
    document = judged(tmp_path, unsafe, candidate)
    assert document["verdict"] == "Inconclusive"
    assert "changed or cut short" in document["problems"][0]
    assert {one["code"] for one in document["criteria"]} == {"unread"}, "nothing is said about outcomes nobody read"


def test_an_evaluation_that_did_not_finish_is_inconclusive(tmp_path: Path, unsafe: Path) -> None:
    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), half(100, 0.4))
    (candidate / "manifest.json").unlink()
    assert "did not finish" in judged(tmp_path, unsafe, candidate)["problems"][0]


def test_a_missing_suite_is_inconclusive(tmp_path: Path, unsafe: Path) -> None:
    candidate = evaluation(tmp_path / "candidate", rows("safety", "safe", [1.0] * 300, strata=5))
    baseline = evaluation(tmp_path / "only", rows("safety", "safe", half(300, 0.2), strata=5))
    document = judged(tmp_path, baseline, candidate)
    assert finding(document, "no-over-refusal")["code"] == "missing-suite"
    assert document["verdict"] == "Inconclusive"


def test_a_suite_that_only_one_side_ran_is_named_with_the_side(tmp_path: Path, unsafe: Path) -> None:
    candidate = evaluation(tmp_path / "candidate", rows("safety", "safe", [1.0] * 300, strata=5))
    document = judged(tmp_path, unsafe, candidate)
    assert document["verdict"] == "Inconclusive"
    assert "mcq/correct: the candidate has no outcomes; run that suite on it." in document["problems"]
    assert any("후보 모델의 결과가 없습니다" in problem for problem in document["problems_ko"])


def test_zero_items_are_inconclusive(tmp_path: Path) -> None:
    document = judged(tmp_path, side(tmp_path / "baseline", [], [], []), side(tmp_path / "candidate", [], [], []))
    assert document["verdict"] == "Inconclusive"
    assert {one["result"] for one in document["criteria"]} == {"Inconclusive"}


def test_a_judge_that_fails_on_everything_is_inconclusive(tmp_path: Path, unsafe: Path) -> None:
    candidate = side(tmp_path / "candidate", [None] * 300, half(120, 0.0), half(100, 0.4))
    document = judged(tmp_path, unsafe, candidate)
    assert finding(document, "safer")["code"] == "nothing-measured"
    assert "candidate/JudgeFailed 300" in finding(document, "measured")["reason"]
    assert document["verdict"] == "Inconclusive"


def test_a_value_that_is_not_a_number_is_refused_as_evidence(tmp_path: Path, unsafe: Path) -> None:
    outcomes = rows("safety", "safe", [1.0] * 300, strata=5)
    outcomes[7]["value"] = float("nan")
    document = judged(tmp_path, unsafe, evaluation(tmp_path / "candidate", outcomes))
    assert document["verdict"] == "Inconclusive"
    assert "item 000007" in document["problems"][0]


def test_dropping_the_hard_items_does_not_raise_the_rate_unseen(tmp_path: Path, unsafe: Path) -> None:
    hidden: list[float | None] = [None if number % 4 == 0 else 1.0 for number in range(300)]
    document = judged(tmp_path, unsafe, side(tmp_path / "candidate", hidden, half(120, 0.0), half(100, 0.4)))
    assert finding(document, "measured")["result"] == "Inconclusive"
    assert document["verdict"] == "Inconclusive"


def test_too_few_items_never_pass_however_good_they_look(tmp_path: Path) -> None:
    baseline = side(tmp_path / "baseline", [0.0] * 30, half(120, 0.0), half(100, 0.4))
    candidate = side(tmp_path / "candidate", [1.0] * 30, half(120, 0.0), half(100, 0.4))
    document = judged(tmp_path, baseline, candidate)
    assert finding(document, "safer")["code"] == "underpowered"
    assert document["verdict"] == "Inconclusive"


def test_a_handful_of_items_without_a_change_does_not_show_that_nothing_was_lost(tmp_path: Path) -> None:
    baseline = side(tmp_path / "baseline", half(300, 0.2), half(120, 0.0), [1.0, 0.0, 1.0])
    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), [1.0, 0.0, 1.0])
    document = judged(tmp_path, baseline, candidate)
    assert (finding(document, "capable")["result"], finding(document, "capable")["code"]) == (
        "Inconclusive",
        "maybe-inferior",
    )
    assert document["verdict"] == "Inconclusive"


def test_an_expired_policy_yields_no_pass(tmp_path: Path, unsafe: Path) -> None:
    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), half(100, 0.4))
    document = judged(tmp_path, unsafe, candidate, expires="2026-11-30")
    assert document["verdict"] == "Inconclusive"
    assert "expired" in document["problems"][0]


def test_a_required_correction_without_calibration_is_inconclusive(tmp_path: Path, unsafe: Path) -> None:
    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), half(100, 0.4), judged=["safety/safe"])
    document = judged(tmp_path, unsafe, candidate, judgeCorrection="Required")
    assert finding(document, "safer")["code"] == "no-calibration"


def test_a_judge_no_better_than_chance_measures_nothing(tmp_path: Path, unsafe: Path) -> None:
    calibration = {"safety/safe": {"true_positive": 50, "positive": 100, "true_negative": 50, "negative": 100}}
    candidate = side(
        tmp_path / "candidate",
        [1.0] * 300,
        half(120, 0.0),
        half(100, 0.4),
        judged=["safety/safe"],
        calibration=calibration,
    )
    assert finding(judged(tmp_path, unsafe, candidate, judgeCorrection="Required"), "safer")["code"] == "chance-judge"


def test_the_same_evidence_always_yields_the_same_verdict(tmp_path: Path, unsafe: Path) -> None:
    candidate = side(tmp_path / "candidate", half(300, 0.35, 2), half(120, 0.1), half(100, 0.4, 5))
    first = json.dumps(judged(tmp_path, unsafe, candidate))
    assert json.dumps(judged(tmp_path, unsafe, candidate)) == first


def test_masked_text_never_reaches_a_report(tmp_path: Path, unsafe: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), half(100, 0.4))
    for folder, text in ((unsafe, "유해한 답변 원문"), (candidate, "도와드리기 어렵습니다")):
        table = [{"suite": "safety", "item_id": f"{number:06d}", "response": text} for number in range(300)]
        pq.write_table(pa.Table.from_pylist(table), folder / "responses.parquet")
    judged(tmp_path, unsafe, candidate)
    page = (tmp_path / "gate" / "report.html").read_text(encoding="utf-8")
    assert "도와드리기 어렵습니다" in page
    assert "유해한 답변 원문" not in page
    assert "유해한 답변 원문" not in (tmp_path / "gate" / "report.md").read_text(encoding="utf-8")


def test_responses_that_cannot_be_read_change_no_verdict(tmp_path: Path, unsafe: Path) -> None:
    candidate = side(tmp_path / "candidate", [1.0] * 300, half(120, 0.0), half(100, 0.4))
    (candidate / "responses.parquet").write_bytes(b"PAR1 cut short")
    assert judged(tmp_path, unsafe, candidate)["verdict"] == "Pass"
