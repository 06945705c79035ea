"""KoCulture: terms, their age, and the questions about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gyeol.evaluate.data.place import Place
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.format.koculture import lexicon
from support import benchmark
from support.benchmark import loaded


def test_koculture_terms_age(tmp_path: Path) -> None:
    benchmark.as_json(
        tmp_path / "descriptions.json", [{"title": "별다줄", "content": "별걸 다 줄인다", "date": "2025-03-01"}]
    )
    benchmark.as_json(tmp_path / "usage_questions.json", [{"question": "요즘 뭐 해?"}])
    [term] = lexicon(Place("k", tmp_path))
    assert str(term.expires) == "2026-03-01"
    assert loaded("koculture-usage", tmp_path)[0].expected["terms"] == ["별다줄"]


def test_koculture_asks_who_uses_terms_and_who_understands_them(tmp_path: Path) -> None:
    folder = benchmark.koculture(tmp_path, terms=3)
    used, understood = loaded("koculture-usage", folder), loaded("koculture-understanding", folder)
    assert len(used) == 4
    assert [len(item.expected["terms"]) for item in used] == [3] * 4
    assert [item.expected["meaning"] for item in understood] == [f"{item.expected['word']}의 뜻" for item in understood]
    assert [item.cluster for item in understood] == [item.expected["word"] for item in understood]
    benchmark.as_json(folder / "usage_questions.json", ["요즘 뭐 해?", "주말에 뭐 했어?"])
    assert "주말에" in loaded("koculture-usage", folder)[1].messages[0].content, "questions may be bare texts"
    with pytest.raises(SuiteError, match="row 1: date: expected a date such as"):
        lexicon(
            Place("k", benchmark.as_json(tmp_path / "lexicon.json", [{"title": "-", "content": "-", "date": "봄"}]))
        )
