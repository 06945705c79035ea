"""KoCulture dialogues become training data whose held-out terms were never trained on."""

from __future__ import annotations

from pathlib import Path

from gyeol.evaluate.data.place import Place
from gyeol.evaluate.dialogue import split_dialogues
from support import benchmark


def test_the_split_is_by_term_and_loses_nothing(tmp_path: Path) -> None:
    rows = [
        {"title": f"낱말{term}", "question": f"{number}번 물음", "answer": f"낱말{term}로 답함"}
        for term in range(20)
        for number in range(3)
    ]
    place = Place("d", benchmark.as_json(tmp_path / "dialogues.json", rows))
    train, apart = split_dialogues(place, 0.1, 7)
    assert len(train) + len(apart) == 60
    assert len({line["term"] for line in apart}) == 2
    assert not {line["term"] for line in train} & {line["term"] for line in apart}
    assert [message["role"] for message in train[0]["messages"]] == ["user", "assistant"]
