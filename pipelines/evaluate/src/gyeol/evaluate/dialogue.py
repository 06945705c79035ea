"""KoCulture dialogues as training data: chat messages, split by term, so that no held-out term was trained on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.item import digest

Line = dict[str, Any]


def split_dialogues(place: Place, share: float, random_seed: int) -> tuple[list[Line], list[Line]]:
    """Training and held-out lines `{"term", "messages"}` of `{title, question, answer}` rows.

    Args:
      place: The dialogues file.
      share: Share of the terms that is held out, 0 to 1.
      random_seed: Fixes which.
    """
    rows = [row.only(("title", "question", "answer")) for row in all_rows(place.files("dialogue", "merged_final"))]
    terms = sorted({row.text("title") for row in rows}, key=lambda term: digest([random_seed, term]))
    apart = set(terms[: max(1, round(share * len(terms)))]) if share > 0 else set()
    lines = [
        {
            "term": row.text("title"),
            "messages": [
                {"role": "user", "content": row.text("question")},
                {"role": "assistant", "content": row.text("answer")},
            ],
        }
        for row in rows
    ]
    return [line for line in lines if line["term"] not in apart], [line for line in lines if line["term"] in apart]


def write_lines(path: Path, lines: Iterable[Line]) -> None:
    """Writes JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
