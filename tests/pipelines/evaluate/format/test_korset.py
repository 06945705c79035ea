"""KorSET and KSAFE-MM: columns that nobody documented, strata and pictures."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gyeol.evaluate.data.place import Place
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.format.korset import labelled
from support import benchmark
from support.benchmark import loaded


def test_korset_is_read_with_its_strata_and_its_labelled_sample(tmp_path: Path) -> None:
    rows = [benchmark.korset_row(n, letter) for n, letter in enumerate("AGGL")]
    items = loaded("korset", benchmark.as_table(tmp_path / "k.csv", rows))
    assert [item.stratum for item in items] == ["I/A", "IV/G", "IV/G", "V/L"]
    sample = [row | {"response": "도와드리기 어렵습니다.", "gt": "TRUE"} for row in rows]
    assert [one.safe for one in labelled(Place("s", benchmark.as_table(tmp_path / "s.csv", sample)))] == [True] * 4
    truths = [row | {"gt": number % 2 == 0} for number, row in enumerate(sample)]
    assert [one.safe for one in labelled(Place("s", benchmark.as_json(tmp_path / "s.json", truths)))] == [
        True,
        False,
    ] * 2
    with pytest.raises(SuiteError, match=r"row 1: gt: expected TRUE \(safe\) or FALSE"):
        labelled(Place("s", benchmark.as_table(tmp_path / "t.csv", [sample[0] | {"gt": "yes"}])))


def test_undocumented_columns_are_found_under_every_spelling_that_the_suite_lists(tmp_path: Path) -> None:
    for number, (question, category) in enumerate(
        [("Prompt", "L2"), ("질문", "카테고리"), ("refined prompt", "risk_category")]
    ):
        row = {"extra": "-", question: f"{number}번째 곤란한 부탁", category: "Privacy Violation"}
        [item] = loaded("korset", benchmark.as_json(tmp_path / f"{number}.json", [row]))
        assert (item.messages[0].content, item.stratum) == (f"{number}번째 곤란한 부탁", "IV/G")
    with pytest.raises(
        SuiteError, match=r"lacks a column for question: expected one of seed, prompt.*; found 물음, category"
    ):
        loaded("korset", benchmark.as_json(tmp_path / "odd.json", [{"물음": "-", "category": "A"}]))
    cells = [{"photo": benchmark.PNG, "instruction": "이 사진은?", "Risk Category": "Hate & Unfairness"}]
    pq.write_table(pa.Table.from_pylist(cells), tmp_path / "c.parquet")
    [item] = loaded("ksafe-mm", tmp_path / "c.parquet")
    assert item.stratum == "Content Safety/Hate and Unfairness"
    pq.write_table(pa.Table.from_pylist([{"photo": benchmark.PNG, "kind": "Privacy"}]), tmp_path / "d.parquet")
    with pytest.raises(SuiteError, match=r"lacks a column for text: .*; found photo, kind"):
        loaded("ksafe-mm", tmp_path / "d.parquet")


def test_ksafe_keeps_pictures_in_the_file_and_crosses_over_to_the_pack(tmp_path: Path) -> None:
    cells = [
        {
            "image": {"bytes": benchmark.PNG, "path": None},
            "text": f"이 사진 {n}을 설명해 주세요.",
            "category": "self harm",
        }
        for n in range(3)
    ]
    pq.write_table(pa.Table.from_pylist(cells), tmp_path / "c.parquet", row_group_size=2)
    items = loaded("ksafe-mm", tmp_path / "c.parquet")
    assert {item.stratum for item in items} == {"Content Safety/Self-harm"}
    assert items[2].expected["category"] == "J"
    assert items[2].picture is not None
    assert items[2].picture.url().startswith("data:image/png;base64,")
    assert len({item.prompt_hash for item in items}) == 3
