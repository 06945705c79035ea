"""KoCulture: are terms of Korean internet culture used, and are they understood?

`part: usage` asks questions in which terms could be used; `part: understanding` asks about (word, meaning, question).
The questions of the second kind name their word and not its meaning, which stands in the descriptions.
The folder also holds the descriptions `{title, content, date, category, source}`: the lexicon, whose terms age.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.data.spelling import folded
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

MONTHS = 12
"""A term of internet culture is taken to be current for a year."""

_TOGETHER = re.compile(r"\A(\d{4})(\d{2})(\d{2})\Z")
_DATE = re.compile(r"(\d{4})(?!\d)\s*(?:년|[-./])?\s*(?:(\d{1,2})(?!\d)\s*(?:월|[-./]|\Z)\s*(?:(\d{1,2})(?!\d))?)?")
_UNKNOWN = frozenset({"", "-", "미상", "불명", "알 수 없음", "unknown", "n/a", "none", "null", "nan"})


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
        words = _words(place)
        asked = all_rows(place.called("usage_questions", "usage"))
        return [
            _usage(row.spelled(source.columns, ("question",)), number, words, source)
            for number, row in enumerate(asked, start=1)
        ]
    rows = [
        row.spelled(source.columns, ("question", "word"))
        for row in all_rows(place.called("understand_questions", "understand"))
    ]
    lacking = any(row.lacks("meaning") for row in rows)
    meanings = {row.text("title"): row.text("content") for row in _described(place)} if lacking else {}
    return [_understanding(row, number, meanings, source) for number, row in enumerate(rows, start=1)]


def lexicon(place: Place) -> list[Term]:
    """Terms of the descriptions file."""
    return [Term(row.text("title"), row.text("content"), _seen_on(row)) for row in _described(place)]


def _described(place: Place) -> Iterator[Row]:
    """Rows of the descriptions, or of the sample from which the questions were made when there are none."""
    files = place.files("description", "lexicon", "meme_sample")
    files = [file for file in files if "memesample" not in folded(file.name)] or files
    optional = ("date", "category", "source", "question", "answer")
    return (row.only(("title", "content"), optional) for row in all_rows(files))


def _words(place: Place) -> list[str]:
    """Terms whose use counts: those of the category `meme`, where the descriptions tell categories apart."""
    rows = list(_described(place))
    memes = [row for row in rows if row.maybe("category").casefold() == "meme"]
    return list(dict.fromkeys(row.text("title") for row in memes or rows))


def _seen_on(row: Row) -> dt.date | None:
    """The day that `date` names; the first of its year or month where it names no more, None where it says that nobody knows."""
    written = row.maybe("date")
    if written.casefold() in _UNKNOWN:
        return None
    found = _DATE.match(_TOGETHER.sub(r"\1-\2-\3", written))
    try:
        year, month, day = (int(part or 1) for part in found.groups()) if found else (0, 0, 0)
        return dt.date(year, month, day)
    except ValueError:
        row.wrong("date", "a date such as 2025-03-01, 2025. 3. 1., 2025년 3월, 2025-03 or 2025")


def _usage(row: Row, number: int, words: list[str], source: FileSource) -> Item:
    text = source.prompts[0].format_map({"question": row.text("question")})
    return Item(
        row.maybe("id") or f"usage-{number:04d}",
        (Message("user", text),),
        "usage",
        f"usage-{number:04d}",
        {"terms": words},
    )


def _understanding(row: Row, number: int, meanings: Mapping[str, str], source: FileSource) -> Item:
    word = row.text("word")
    meaning = row.maybe("meaning") or meanings.get(word)
    if not meaning:
        row.wrong("meaning", f"a meaning of {word!r} here, or in a file of descriptions beside this one")
    text = source.prompts[0].format_map({"question": row.text("question"), "word": word})
    expected: dict[str, Any] = {"word": word, "meaning": meaning, "context": row.text("question")}
    return Item(
        row.maybe("id") or f"understanding-{number:04d}", (Message("user", text),), "understanding", word, expected
    )
