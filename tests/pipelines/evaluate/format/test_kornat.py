"""KorNAT: the answer is a survey, a letter, a number or a text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gyeol.evaluate.error import SuiteError
from support import benchmark
from support.benchmark import loaded


def test_kornat_reads_shares_and_letters(tmp_path: Path) -> None:
    forms: list[Any] = [
        [0.1, 0.2, 0.3, 0.3, 0.1],
        "[10, 20, 30, 30, 10]",
        {"A": 0.1, "B": 0.2, "C": 0.3, "D": 0.3, "E": 0.1},
        "{'a': '10%', 'b': '20%', 'c': '30%', 'd': '30%', 'e': '10%'}",
        {"매우 동의한다": 22, "동의한다": 44, "보통이다": 66, "동의하지 않는다": 66, "전혀 동의하지 않는다": 22},
    ]
    forms[-1] = {name: count / 2.2 for name, count in forms[-1].items()}
    rows = [benchmark.social_row(number, answer) for number, answer in enumerate([*forms, "B"])]
    items = loaded("kornat-social", benchmark.as_json(tmp_path / "social.json", rows))
    assert [item.expected["shares"] for item in items[:5]] == [pytest.approx([0.1, 0.2, 0.3, 0.3, 0.1])] * 5
    assert (items[5].expected["shares"], items[5].expected["answer"]) == (None, 1)
    knowledge = benchmark.as_table(tmp_path / "common.csv", [benchmark.knowledge_row(n) for n in range(4)])
    assert [item.expected["answer"] for item in loaded("kornat-knowledge", knowledge)] == [0, 1, 2, 3]


@pytest.mark.parametrize(("answer", "index"), [("C", 2), ("c", 2), ("3", 2), (3, 2), ("도서관 1", 2)])
def test_kornat_takes_an_answer_by_letter_by_number_or_by_text(tmp_path: Path, answer: Any, index: int) -> None:
    row = {name.casefold(): value for name, value in benchmark.knowledge_row(1).items()} | {"answer": answer}
    [item] = loaded("kornat-knowledge", benchmark.as_json(tmp_path / "k.json", [row]))
    assert item.expected["answer"] == index


def test_an_answer_that_means_two_options_is_refused(tmp_path: Path) -> None:
    row = benchmark.knowledge_row(1) | dict(zip("ABCD", "4321", strict=True)) | {"Answer": "1"}
    with pytest.raises(SuiteError, match=r"row 1: answer: expected a letter A to D.*'1'"):
        loaded("kornat-knowledge", benchmark.as_json(tmp_path / "k.json", [row]))
