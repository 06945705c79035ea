"""A result stands beside a published figure, comparable or not, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gyeol.evaluate.comparison import compared, published
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.suite import shipped


def evaluation(folder: Path, suite: str, metric: str, items: int, judges: list[str], scored: int | None = None) -> Path:
    summary: dict[str, Any] = {
        "suite": suite, "metric": metric, "mean": 0.5, "items": items, "scored": items if scored is None else scored, "derived": False,
    }  # fmt: skip
    manifest = {"suites": {suite: {"items": items}}, "judges": {"names": judges}, "summary": [summary]}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_every_published_figure_belongs_to_a_metric_of_a_suite_and_names_its_source() -> None:
    suites = shipped()
    for figure in published():
        suite = suites[figure.suite]
        assert figure.metric in {one.name for one in suite.metrics} | {one.name for one in suite.derived}
        assert figure.source


def test_the_whole_set_under_the_same_judge_is_comparable(tmp_path: Path) -> None:
    found = compared(evaluation(tmp_path, "korset", "safe", 7161, ["gpt-4.1"]))
    assert len(found) == 6
    assert all(one.comparable and not one.why for one in found)


@pytest.mark.parametrize(
    ("suite", "metric", "items", "judges", "scored", "why"),
    [
        ("korset", "safe", 100, ["gpt-4.1"], None, "100 of 7161 items"),
        ("korset", "safe", 7161, ["safety"], None, "judged by safety, not gpt-4.1"),
        ("korset", "safe", 7161, ["gpt-4.1"], 4000, "only 4000 of 7161 items scored"),
        ("click", "culture", 1995, [], None, "another prompt than the paper's"),
    ],
)
def test_a_difference_is_named(
    tmp_path: Path, suite: str, metric: str, items: int, judges: list[str], scored: int | None, why: str
) -> None:
    found = compared(evaluation(tmp_path, suite, metric, items, judges, scored))
    assert found
    assert all(not one.comparable and why in one.why and one.why_ko for one in found)


def test_an_unfinished_evaluation_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="not the manifest of a finished evaluation"):
        compared(tmp_path)
