"""KorNAT (arXiv 2402.13605): social values (five options, agree to disagree) and common knowledge (four options).

What the `Answer` of a social row holds is not documented, so both forms are read: the survey's five shares, from which SVA,
A-SVA and N-SVA follow, or the letter of the top option, from which only agreement with it follows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row, parsed_list
from gyeol.evaluate.format.multiple import multiple
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

_SOCIAL = ("Category", "Question", "A", "B", "C", "D", "E", "Answer")
_KNOWLEDGE = ("Category", "SubCategory", "Question", "A", "B", "C", "D", "Answer")


def items(place: Place, source: FileSource) -> list[Item]:
    """Items of one part: `part: social` or `part: knowledge`; of a folder, the Korean files of that part."""
    social = source.options["part"] == "social"
    files = place.files("social") if social else place.files("knowledge", "common")
    korean = [file for file in files if "eng" not in file.stem.casefold()] or files
    read = _social if social else _knowledge
    return [item for number, row in enumerate(all_rows(korean), start=1) for item in read(row, number, source)]


def shares(row: Row) -> list[float] | None:
    """The five survey shares, summing to 1; None when the row names one letter instead."""
    value: Any = row.content["Answer"]
    if isinstance(value, str):
        if value.strip() in tuple("ABCDE"):
            return None
        value = parsed_list(value)
    if isinstance(value, Mapping):
        value = [value.get(letter) for letter in "ABCDE"]
    numbers = (
        [float(one) for one in value]
        if isinstance(value, list) and len(value) == 5 and all(_is_number(one) for one in value)
        else []
    )
    total = sum(numbers)
    if not numbers or min(numbers) < 0 or not (0.97 <= total <= 1.03 or 97 <= total <= 103):
        row.wrong("Answer", "a letter A to E, or five shares that sum to 1 or 100")
    return [number / total for number in numbers]


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _social(row: Row, number: int, source: FileSource) -> list[Item]:
    row.only(_SOCIAL)
    survey = shares(row)
    top = "ABCDE".index(row.text("Answer")) if survey is None else survey.index(max(survey))
    return multiple(
        source,
        f"social-{number:05d}",
        [row.text(letter) for letter in "ABCDE"],
        top,
        {"question": row.text("Question")},
        stratum=row.text("Category"),
        groups={"category": row.text("Category")},
        expected={"shares": survey},
    )


def _knowledge(row: Row, number: int, source: FileSource) -> list[Item]:
    row.only(_KNOWLEDGE)
    return multiple(
        source,
        f"knowledge-{number:05d}",
        [row.text(letter) for letter in "ABCD"],
        row.index("Answer", tuple("ABCD")),
        {"question": row.text("Question")},
        stratum=row.text("Category"),
        groups={"category": row.text("Category"), "subcategory": row.text("SubCategory")},
    )
