"""KoCulture dialogues as training data: chat messages, split by term, so that no held-out term was trained on."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.format.koculture import Term
from gyeol.evaluate.item import digest

Line = dict[str, Any]


INSTRUCTION = "친구와 채팅하듯 요즘 말로 답해 주세요.\n\n"
"""Goes before every question, as in the usage suite: elsewhere the model keeps its own register."""


@dataclass(frozen=True)
class Split:
    train: list[Line]
    held_out: list[Line]
    outdated: list[str]
    """Terms that are left out, because the lexicon says that they are not current any more."""


def split_dialogues(
    place: Place, share: float, random_seed: int, terms: Iterable[Term] = (), on: dt.date | None = None
) -> Split:
    """Training and held-out lines `{"term", "messages"}` of `{title, question, answer}` rows.

    Args:
      place: The dialogues file.
      share: Share of the terms that is held out, 0 to 1.
      random_seed: Fixes which.
      terms: The lexicon; a term that is not in it is taken to be current.
      on: Day on which terms have to be current; None: any.
    """
    rows = [row.only(("title", "question", "answer")) for row in all_rows(place.files("dialogue", "merged_final"))]
    old = {term.term for term in terms if on is not None and not term.current(on)}
    there = {row.text("title") for row in rows}
    names = sorted(there - old, key=lambda term: digest([random_seed, term]))
    apart = set(names[: max(1, round(share * len(names)))]) if share > 0 else set()
    lines = [_line(row) for row in rows if row.text("title") not in old]
    return Split(
        [line for line in lines if line["term"] not in apart],
        [line for line in lines if line["term"] in apart],
        sorted(there & old),
    )


def _line(row: Row) -> Line:
    messages = [
        {"role": "user", "content": INSTRUCTION + row.text("question")},
        {"role": "assistant", "content": row.text("answer")},
    ]
    return {"term": row.text("title"), "messages": messages}


def write_lines(path: Path, lines: Iterable[Line]) -> None:
    """Writes JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
