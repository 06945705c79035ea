"""KorNAT (arXiv 2402.13605): social values (five options, agree to disagree) and common knowledge (four options).

What the `Answer` of a social row holds is not documented, so both forms are read: the survey's five shares, from which SVA,
A-SVA and N-SVA follow, or the letter of the top option, from which only agreement with it follows. Rows without an answer are
read and not asked: there is nothing to compare a reply with.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row, parsed
from gyeol.evaluate.format.multiple import multiple
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

_SOCIAL, _KNOWLEDGE = tuple("ABCDE"), tuple("ABCD")
_ENGLISH = re.compile(r"(?<![a-z])eng(?:lish)?(?![a-z])")


def items(place: Place, source: FileSource) -> list[Item]:
    """Items of one part: `part: social` or `part: knowledge`; of a folder, the Korean files of that part."""
    read = _social if source.options["part"] == "social" else _knowledge
    return [
        item
        for number, row in enumerate(_rows(place, source), start=1)
        if not row.lacks("answer")
        for item in read(row, number, source)
    ]


def left_out(place: Place, source: FileSource) -> int:
    """Rows that are read and not asked: those without an answer."""
    return sum(row.lacks("answer") for row in _rows(place, source))


def _rows(place: Place, source: FileSource) -> Iterator[Row]:
    social = source.options["part"] == "social"
    files = place.files("social") if social else place.files("knowledge", "common")
    root = place.path if place.path.is_dir() else place.path.parent
    korean = [file for file in files if not _ENGLISH.search(str(file.relative_to(root)).casefold())] or files
    needed = (
        ("category", "question", *_SOCIAL, "answer")
        if social
        else ("category", "subcategory", "question", *_KNOWLEDGE, "answer")
    )
    return (row.spelled(source.columns, needed) for row in all_rows(korean))


def shares(row: Row) -> list[float] | None:
    """The five survey shares, summing to 1; None when the row names one option instead."""
    value: Any = row.content["answer"]
    options = [row.text(letter) for letter in _SOCIAL]
    if isinstance(value, str | int) and not isinstance(value, bool):
        if option_of(str(value), options) is not None:
            return None
        value = parsed(str(value))
    if isinstance(value, Mapping):
        by_name = {str(name).strip().casefold(): share for name, share in value.items()}
        value = [
            next((by_name[name.casefold()] for name in names if name.casefold() in by_name), None)
            for names in zip(_SOCIAL, "12345", options, strict=True)
        ]
    numbers = [_number(one) for one in value] if isinstance(value, list) and len(value) == len(_SOCIAL) else []
    known = [number for number in numbers if number is not None and number >= 0]
    total = sum(known)
    if len(known) < len(_SOCIAL) or not (0.97 <= total <= 1.03 or 97 <= total <= 103):
        row.wrong("answer", "a letter A to E, or five shares that sum to 1 or 100")
    return [number / total for number in known]


def option_of(answer: str, options: Sequence[str]) -> int | None:
    """Index of the option that an answer names by letter, by number from 1 or by its text; None when by none or by several."""
    text = answer.strip().removesuffix(".0")
    readings = [
        *("ABCDE".index(letter) for letter in "ABCDE"[: len(options)] if letter == text.upper()),
        *(number for number in range(len(options)) if str(number + 1) == text),
        *(index for index, option in enumerate(options) if option == text),
    ]
    return readings[0] if len(set(readings)) == 1 else None


def _number(value: object) -> float | None:
    """A finite number, also as text or with a percent sign."""
    if isinstance(value, str):
        try:
            value = float(value.strip().removesuffix("%"))
        except ValueError:
            return None
    return (
        float(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        else None
    )


def _social(row: Row, number: int, source: FileSource) -> list[Item]:
    survey, options = shares(row), [row.text(letter) for letter in _SOCIAL]
    top = option_of(row.text("answer"), options) if survey is None else survey.index(max(survey))
    return multiple(
        source,
        f"social-{number:05d}",
        options,
        top or 0,
        {"question": row.text("question")},
        stratum=row.text("category"),
        groups={"category": row.text("category")},
        expected={"shares": survey},
    )


def _knowledge(row: Row, number: int, source: FileSource) -> list[Item]:
    there = [letter for letter in _KNOWLEDGE if row.maybe(letter)]
    # A question may have fewer options; a gap between them would move the letters.
    options = [row.text(letter) for letter in _KNOWLEDGE[: max(2, _KNOWLEDGE.index(there[-1]) + 1 if there else 0)]]
    answer = option_of(row.text("answer"), options)
    if answer is None:
        row.wrong("answer", "a letter A to D, a number 1 to 4, or the text of an option")
    return multiple(
        source,
        f"knowledge-{number:05d}",
        options,
        answer,
        {"question": row.text("question")},
        stratum=row.text("category"),
        groups={"category": row.text("category"), "subcategory": row.text("subcategory")},
    )
