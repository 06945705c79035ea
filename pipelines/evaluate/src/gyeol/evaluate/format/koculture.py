"""KoCulture: are terms of Korean internet culture used, and are they understood?

`part: usage` asks questions in which terms could be used; `part: understanding` asks about (word, meaning, question).
The folder also holds the descriptions `{title, content, date, category, source}`: the lexicon, whose terms age.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

MONTHS = 12
"""A term of internet culture is taken to be current for a year."""


@dataclass(frozen=True)
class Term:
    """A term with its meaning and the days between which it is taken to be current."""

    term: str
    meaning: str
    seen_on: dt.date | None
    """None: the file does not say; then it never expires."""

    @property
    def expires(self) -> dt.date | None:
        return None if self.seen_on is None else self.seen_on + dt.timedelta(days=365 * MONTHS // 12)

    def current(self, on: dt.date) -> bool:
        return self.expires is None or on < self.expires


def items(place: Place, source: FileSource) -> list[Item]:
    """Items of one part; the lexicon goes with the usage questions."""
    if source.options["part"] == "usage":
        words = [term.term for term in lexicon(place)]
        return [
            _usage(row.spelled(source.columns, ("question",)), number, words, source)
            for number, row in enumerate(all_rows(place.files("usage")), start=1)
        ]
    return [
        _understanding(row.spelled(source.columns, ("question", "word", "meaning")), number, source)
        for number, row in enumerate(all_rows(place.files("understand")), start=1)
    ]


def lexicon(place: Place) -> list[Term]:
    """Terms of the descriptions file."""
    rows = all_rows(place.files("description", "lexicon"))
    return [_term(row.only(("title", "content"), ("date", "category", "source"))) for row in rows]


def _term(row: Row) -> Term:
    written = row.maybe("date")
    seen: dt.date | None = None
    if written:
        for form in ("%Y-%m-%d", "%Y.%m.%d", "%Y/%m/%d", "%Y-%m", "%Y.%m", "%Y"):
            try:
                seen = dt.datetime.strptime(written, form).replace(tzinfo=dt.UTC).date()
                break
            except ValueError:
                continue
        else:
            row.wrong("date", "a date such as 2025-03-01, 2025-03 or 2025")
    return Term(row.text("title"), row.text("content"), seen)


def _usage(row: Row, number: int, words: list[str], source: FileSource) -> Item:
    text = source.prompts[0].format_map({"question": row.text("question")})
    return Item(
        row.maybe("id") or f"usage-{number:04d}",
        (Message("user", text),),
        "usage",
        f"usage-{number:04d}",
        {"terms": words},
    )


def _understanding(row: Row, number: int, source: FileSource) -> Item:
    word = row.text("word")
    text = source.prompts[0].format_map({"question": row.text("question"), "word": word})
    expected: dict[str, Any] = {"word": word, "meaning": row.text("meaning"), "context": row.text("question")}
    return Item(
        row.maybe("id") or f"understanding-{number:04d}", (Message("user", text),), "understanding", word, expected
    )
