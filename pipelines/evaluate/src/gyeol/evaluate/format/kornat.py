"""KorNAT (arXiv 2402.13605): social values (five options, agree to disagree) and common knowledge (four options).

What the `Answer` of a social row holds is not documented, so both forms are read: the survey's five shares, from which SVA,
A-SVA and N-SVA follow, or the letter of the top option, from which only agreement with it follows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row, parsed
from gyeol.evaluate.format.multiple import multiple
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

_SOCIAL, _KNOWLEDGE = tuple("ABCDE"), tuple("ABCD")


def items(place: Place, source: FileSource) -> list[Item]:
    """Items of one part: `part: social` or `part: knowledge`; of a folder, the Korean files of that part."""
    social = source.options["part"] == "social"
    files = place.files("social") if social else place.files("knowledge", "common")
    korean = [file for file in files if "eng" not in file.stem.casefold()] or files
    read = _social if social else _knowledge
    return [item for number, row in enumerate(all_rows(korean), start=1) for item in read(row, number, source)]


def shares(row: Row) -> list[float] | None:
    """The five survey shares, summing to 1; None when the row names one option instead."""
    value: Any = row.content["answer"]
    if isinstance(value, str | int) and not isinstance(value, bool):
        if option_of(str(value), [row.text(letter) for letter in _SOCIAL]) is not None:
            return None
        value = parsed(str(value))
    if isinstance(value, Mapping):
        value = [value.get(letter) for letter in _SOCIAL]
    numbers = (
        [float(one) for one in value]
        if isinstance(value, list) and len(value) == 5 and all(_is_number(one) for one in value)
        else []
    )
    total = sum(numbers)
    if not numbers or min(numbers) < 0 or not (0.97 <= total <= 1.03 or 97 <= total <= 103):
        row.wrong("answer", "a letter A to E, or five shares that sum to 1 or 100")
    return [number / total for number in numbers]


def option_of(answer: str, options: Sequence[str]) -> int | None:
    """Index of the option that an answer names by letter, by number from 1 or by its text; None when by none or by several."""
    text = answer.strip().removesuffix(".0")
    readings = [
        *("ABCDE".index(letter) for letter in "ABCDE"[: len(options)] if letter == text.upper()),
        *(number for number in range(len(options)) if str(number + 1) == text),
        *(index for index, option in enumerate(options) if option == text),
    ]
    return readings[0] if len(set(readings)) == 1 else None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _social(written: Row, number: int, source: FileSource) -> list[Item]:
    row = written.spelled(source.columns, ("category", "question", *_SOCIAL, "answer"))
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


def _knowledge(written: Row, number: int, source: FileSource) -> list[Item]:
    row = written.spelled(source.columns, ("category", "subcategory", "question", *_KNOWLEDGE, "answer"))
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
