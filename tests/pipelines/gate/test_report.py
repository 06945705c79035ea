"""What a verdict looks like to machines, pull requests, model cards and people."""

from __future__ import annotations

import datetime as dt
import json
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import jsonschema
import pytest
import yaml

from gyeol.gate.error import GateError
from gyeol.gate.job import gate
from gyeol.gate.report.export import EXPORTS, export_names
from gyeol.gate.report.markdown import LIMIT, markdown
from support.browser import browser, complaints, look
from support.evaluation import evaluation, rows
from support.gating import policy

__all__ = ["browser"]
NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
CALIBRATION = {"safety/safe": {"true_positive": 90, "positive": 100, "true_negative": 95, "negative": 100}}


def gated(tmp_path: Path, safe: list[float | None], strata: int = 5, **manifest: Any) -> dict[str, Any]:
    other = rows("refusal", "refused", [0.0] * 60) + rows("mcq", "correct", [1.0, 0.0] * 30)
    said = {"judged": ["safety/safe"], "calibration": CALIBRATION}
    baseline = evaluation(
        tmp_path / "b", rows("safety", "safe", [0.0, 1.0] * (len(safe) // 2), strata=strata) + other, **said
    )
    candidate = evaluation(tmp_path / "c", rows("safety", "safe", safe, strata=strata) + other, **said | manifest)
    return gate(baseline, candidate, policy(), tmp_path / "gate", NOW, exports=list(EXPORTS)).document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    gated(tmp_path, [1.0] * 290 + [None] * 10)
    return tmp_path / "gate"


@pytest.mark.parametrize(
    ("safe", "manifest"),
    [([1.0] * 300, {}), ([0.0] * 300, {}), ([None] * 300, {}), ([1.0] * 300, {"runner_version": "9"}), ([], {})],
    ids=["better", "worse", "unjudged", "incomparable", "empty"],
)
def test_every_verdict_follows_the_schema_that_ships(
    tmp_path: Path, safe: list[float | None], manifest: dict[str, Any]
) -> None:
    schema = json.loads((resources.files("gyeol.gate") / "report" / "verdict.schema.json").read_text())
    gated(tmp_path, safe, **manifest)
    written = json.loads((tmp_path / "gate" / "verdict.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(written, schema)


def test_the_reliability_of_judges_is_told(folder: Path) -> None:
    [judge] = json.loads((folder / "verdict.json").read_text())["judges"]
    assert (judge["sensitivity"], judge["specificity"], judge["sample"]) == (0.9, 0.95, 200)
    assert judge["unjudged"] == {"baseline": 0, "candidate": pytest.approx(10 / 300, abs=1e-6)}
    assert "판정자의 신뢰도" in (folder / "report.html").read_text(encoding="utf-8")


def test_other_calibrations_on_the_two_sides_are_not_compared(tmp_path: Path) -> None:
    document = gated(tmp_path, [1.0] * 300, calibration={})
    assert document["verdict"] == "Inconclusive"
    assert "calibration differs" in document["problems"][0]


def test_markdown_stays_short_however_many_strata_there_are_and_shows_the_worst_first(tmp_path: Path) -> None:
    document = gated(tmp_path, [0.0 if number % 400 == 7 else 1.0 for number in range(2000)], strata=400)
    text = markdown(document)
    assert len(text) < LIMIT
    table = text[text.index("by stratum, worst first") :]
    assert table.index("| S7 |") < table.index("| S0 |" if "| S0 |" in table else "more strata")


def test_a_criterion_that_was_not_shown_is_an_error_in_junit_and_one_that_failed_a_failure(tmp_path: Path) -> None:
    gated(tmp_path, [None] * 300)
    root = Xml.fromstring((tmp_path / "gate" / "junit.xml").read_text(encoding="utf-8"))
    assert {case.get("name") for case in root.iter("testcase")} >= {"safer", "measured"}
    safer = next(case for case in root.iter("testcase") if case.get("name") == "safer")
    assert safer.find("error") is not None
    assert root.get("failures") == "0"


def test_the_model_card_holds_what_the_hub_reads(folder: Path) -> None:
    _, front, text = (folder / "README.md").read_text(encoding="utf-8").split("---\n", 2)
    [model] = yaml.safe_load(front)["model-index"]
    by_name = {
        (one["dataset"]["name"], one["metrics"][0]["type"]): one["metrics"][0]["value"] for one in model["results"]
    }
    assert by_name["mcq", "correct"] == pytest.approx(0.5)
    assert "| mcq | correct | 50.0%" in text


def test_lineage_and_tracking_name_the_same_model_and_say_the_same_twice(folder: Path, tmp_path: Path) -> None:
    event = json.loads((folder / "openlineage.json").read_text())
    assert event["inputs"][0]["name"] == "model/sha256:c"
    assertions = event["inputs"][0]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert {one["assertion"] for one in assertions} >= {"safer", "measured"}
    again = gated(tmp_path / "again", [1.0] * 290 + [None] * 10)
    assert json.loads((tmp_path / "again" / "gate" / "openlineage.json").read_text())["run"] == event["run"]
    batch = json.loads((folder / "mlflow.json").read_text())
    assert {"key": "gyeol.verdict", "value": again["verdict"]} in batch["tags"]
    assert all(isinstance(one["value"], float | int) for one in batch["metrics"])


def test_an_unknown_export_is_refused() -> None:
    with pytest.raises(GateError, match="export 'pdf' is unknown; known are card"):
        export_names("card, pdf")


def test_both_languages_say_what_happened(tmp_path: Path) -> None:
    document = gated(tmp_path, [1.0] * 300, runner_version="9")
    assert document["problems_ko"] == ['runner_version 값이 서로 다릅니다(기존 모델 "0.1.0", 후보 모델 "9").']
    for name in ("report.html", "report.md"):
        text = (tmp_path / "gate" / name).read_text(encoding="utf-8")
        assert "근거가 충분하지 않습니다. 통과가 아닙니다." in text
        assert "runner_version 값이 서로 다릅니다" in text


def test_changes_are_told_in_points_and_never_as_minus_zero(tmp_path: Path) -> None:
    document = gated(tmp_path, [1.0] * 300)
    safer = next(one for one in document["criteria"] if one["name"] == "safer")
    assert safer["reason"].startswith("Better by 50.0 points (interval +")
    assert safer["reason_ko"].startswith("50.0%p 나아졌습니다(구간 +")
    assert "p < 0.0001" in safer["reason"]
    assert "-0.0" not in "".join(one["reason"] for one in document["criteria"])


@pytest.mark.needs_browser
def test_the_page_opens_without_complaint_and_reads_well_on_a_phone(folder: Path, browser: Any, tmp_path: Path) -> None:
    for width in (390, 1200):
        look(browser, width=width)
        browser.get((folder / "report.html").as_uri())
        assert complaints(browser) == []
        size = browser.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert size[0] <= size[1], "nothing runs off the page"
        small = browser.execute_script(
            "return [...document.querySelectorAll('p, td, .criterion')].filter(one => parseFloat(getComputedStyle(one).fontSize) < 13).length"
        )
        assert small == 0
        assert browser.save_screenshot(str(tmp_path / f"{width}.png"))
        assert (tmp_path / f"{width}.png").stat().st_size > 10_000
    assert browser.execute_script("return document.querySelectorAll('svg').length") >= 2
