"""Files as large as the published ones are read to the last row, and `gyeol eval inspect` finds the published counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from gyeol.evaluate.command import command
from gyeol.evaluate.format.loader import rows_read
from gyeol.evaluate.inspection import counts
from gyeol.evaluate.suite import FileSource
from support import benchmark

CLICK = {
    "Culture/Economy": {"KIIP": 57, "Kedu": 2},
    "Culture/Geography": {"CSAT": 30, "KIIP": 92, "Kedu": 9},
    "Culture/History": {"KHB": 47, "Kedu": 44, "PSE": 189},
    "Culture/Law": {"KIIP": 51, "PSAT": 168},
    "Culture/Politics": {"KIIP": 79, "Kedu": 5},
    "Culture/Popular": {"KIIP": 26, "Kedu": 15},
    "Culture/Society": {"KIIP": 284, "Kedu": 25},
    "Culture/Tradition": {"KIIP": 161, "Kedu": 61},
    "Language/Functional": {"CSAT": 112, "Kedu": 7, "PSE": 14},
    "Language/Grammar": {"CSAT": 46, "Kedu": 166, "TOPIK": 20},
    "Language/Textual": {"CSAT": 68, "TOPIK": 217},
}
"""Rows of the published tree by category and exam."""


def inspected(suite: str, data: Path) -> dict[str, Any]:
    ended = CliRunner().invoke(command, ["inspect", suite, "--data", str(data), "--json"])
    assert ended.exit_code == 0, ended.output
    return {one["what"]: one["found"] for one in json.loads(ended.stdout)["counts"]}


def test_the_whole_tree_of_click(tmp_path: Path) -> None:
    for folder, exams in CLICK.items():
        for exam, count in exams.items():
            rows = [benchmark.click_row(number, 5 if exam == "CSAT" else 4, exam) for number in range(count)]
            benchmark.as_json(tmp_path / folder / f"{exam}.json", rows)
    assert inspected("click", tmp_path)["rows"] == 1995


def test_every_sample_of_kobbq_under_every_prompt(tmp_path: Path) -> None:
    rows = [row for template in range(285) for row in benchmark.kobbq_rows(template)]
    path = benchmark.as_table(tmp_path / "KoBBQ_test_samples.tsv", rows, "\t")
    suite = benchmark.read_from("kobbq", path)
    assert isinstance(suite.source, FileSource)
    items = benchmark.loaded("kobbq", path)
    assert [one.differs for one in counts(suite, items, rows_read(suite.source, items))[:2]] == [False, False]


def test_every_prompt_of_korset(tmp_path: Path) -> None:
    rows = [benchmark.korset_row(number, "ABCDEFGHIJKL"[number % 12]) for number in range(7161)]
    assert inspected("korset", benchmark.as_table(tmp_path / "korset.csv", rows))["items"] == 7161
