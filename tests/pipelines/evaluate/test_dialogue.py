"""KoCulture dialogues become training data whose held-out terms were never trained on."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

from typer.testing import CliRunner

from gyeol.evaluate.command import command
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.dialogue import split_dialogues
from gyeol.evaluate.format.koculture import lexicon
from support import benchmark


def test_the_split_is_by_term_and_loses_nothing(tmp_path: Path) -> None:
    made = split_dialogues(Place("d", benchmark.koculture(tmp_path, terms=20, rows=3)), 0.1, 7)
    assert len(made.train) + len(made.held_out) == 60
    assert len({line["term"] for line in made.held_out}) == 2
    assert not {line["term"] for line in made.train} & {line["term"] for line in made.held_out}


def test_terms_that_are_not_current_any_more_are_not_trained_on(tmp_path: Path) -> None:
    place = Place("d", benchmark.koculture(tmp_path, terms=3, rows=3))
    terms = lexicon(place)
    made = split_dialogues(place, 0.0, 7, terms, dt.date(2026, 11, 30))
    assert made.outdated == sorted(term.term for term in terms[1:])
    assert {line["term"] for line in made.train} == {terms[0].term}
    assert split_dialogues(place, 0.0, 7, terms).outdated == [], "without a day every term is current"


def test_the_files_are_chat_messages_that_a_trainer_reads(tmp_path: Path) -> None:
    folder = str(benchmark.koculture(tmp_path / "data", terms=10))
    ended = CliRunner().invoke(
        command,
        ["split", "--data", folder, "--output", str(tmp_path / "out"), "--lexicon", folder, "--current-on", "2026-11-30"],
    )  # fmt: skip
    assert ended.exit_code == 0, ended.output
    assert "9 outdated terms" in ended.output
    lines = (tmp_path / "out" / "held-out.jsonl").read_text(encoding="utf-8").splitlines()
    messages = json.loads(lines[0])["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert "요즘 말로" in messages[0]["content"]


def test_a_day_without_a_lexicon_is_refused(tmp_path: Path) -> None:
    folder = str(benchmark.koculture(tmp_path / "data"))
    arguments = ["split", "--data", folder, "--output", str(tmp_path), "--current-on", "2026-11-30"]
    assert CliRunner().invoke(command, arguments).exit_code == 2
