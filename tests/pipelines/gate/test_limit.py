"""Floors and ceilings name the stratum that decides, and only a stratum with enough items decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gyeol.gate.job import gate
from support.evaluation import evaluation, rows
from support.gating import policy

TODAY = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


def half(n: int, share: float) -> list[float]:
    return [float(value) for value in np.random.default_rng(0).permutation(np.arange(n) < round(n * share))]


def limited(tmp_path: Path, sides: Sequence[Path], name: str, **spec: Any) -> dict[str, Any]:
    baseline, candidate = sides
    document = gate(baseline, candidate, policy(**spec), tmp_path / "gate", TODAY).document
    return next(one for one in document["criteria"] if one["name"] == name)


def test_a_level_floor_names_the_stratum_with_the_lowest_level_and_not_the_one_that_lost_most(tmp_path: Path) -> None:
    # S0 stays at 20 %, S1 falls from 100 % to 90 %.
    low, before, after = half(100, 0.2), [1.0] * 100, half(100, 0.9)
    sides = [
        evaluation(tmp_path / name, rows("safety", "safe", [value for pair in zip(low, high, strict=True) for value in pair], strata=2))
        for name, high in (("baseline", before), ("candidate", after))
    ]  # fmt: skip
    floor = {
        "name": "level", "kind": "floor", "suite": "safety", "metric": "safe", "of": "level", "threshold": "0.50",
        "bound": "estimate", "perStratum": True, "minimumItems": 5,
    }  # fmt: skip
    found = limited(tmp_path, sides, "level", criteria=[*two_criteria(), floor])
    assert (found["result"], found["reason"]) == (
        "Fail",
        "Worst stratum S0: 20.0% is below the floor of 50.0% (100 items).",
    )


def test_a_stratum_with_too_few_items_cannot_fail_a_model(tmp_path: Path) -> None:
    outcomes = rows("safety", "safe", half(200, 0.3), strata=2)
    for number, one in enumerate(outcomes[:3]):
        one |= {"stratum": "tiny", "value": 1.0 if number else 0.0}
    lost = [one | {"value": 0.0} if one["stratum"] == "tiny" else one | {"value": 1.0} for one in outcomes]
    sides = evaluation(tmp_path / "baseline", outcomes), evaluation(tmp_path / "candidate", lost)
    found = limited(tmp_path, sides, "no-stratum-loses")
    assert (found["result"], found["code"]) == ("Inconclusive", "too-few")
    assert "tiny: 3 items were measured; at least 5 are needed." in found["reason"]


def two_criteria() -> list[dict[str, Any]]:
    listed = policy().spec.model_dump(mode="json", by_alias=True)["criteria"]
    return [one for one in listed if one["kind"] in ("superiority", "coverage")]
