"""Suites are data; a wrong entry is told by file, field, value and remedy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.suite import shipped
from gyeol.evaluate.wanted import wanted_suites


def test_every_shipped_suite_holds_together() -> None:
    assert {"cultural-safety", "over-refusal", "smoke-mcq"} <= set(shipped())


def test_a_run_may_draw_fewer_items_without_changing_the_template(tmp_path: Path) -> None:
    path = tmp_path / "suites.json"
    path.write_text(json.dumps([{"name": "over-refusal", "items": 7}]))
    [suite] = wanted_suites(path)
    assert suite.source.items == 7
    assert suite.template_hash == shipped()["over-refusal"].template_hash


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "list of at least one suite"),
        ("[", "expected a JSON list"),
        ('[{"name": "kor-set"}]', "no suite 'kor-set'; known are"),
        ('[{"name": "korset"}]', r"suites\[0\].data: korset needs the public file"),
        ('[{"name": "over-refusal", "data": "x.json"}]', r"suites\[0\].data: over-refusal takes no data"),
        ('[{"name": "over-refusal"}, {"name": "over-refusal"}]', "over-refusal named twice"),
        ('[{"name": "over-refusal", "itens": 3}]', r"suites\[0\].itens"),
        ('[{"name": "over-refusal", "items": "many"}]', r"suites\[0\].items.*'many'"),
    ],
)
def test_a_wrong_list_of_suites_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "suites.json"
    path.write_text(content)
    with pytest.raises(SuiteError, match=message):
        wanted_suites(path)


def test_a_suite_knows_which_metrics_a_judge_measures() -> None:
    judged: dict[str, Any] = {name: [metric.judged for metric in suite.metrics] for name, suite in shipped().items()}
    assert judged["cultural-safety"] == [True]
    assert judged["smoke-mcq"] == [False]
