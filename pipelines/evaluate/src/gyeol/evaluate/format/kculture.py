"""K-Culture Contextual Understanding Benchmark (SOGANG-ISDS/K-Culture-Desc, Apache-2.0).

`setting: closed` leaves the description out, because it gives the answer away; `setting: open` shows it.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row, parsed
from gyeol.evaluate.format.multiple import multiple
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

CATEGORIES = (
    "Food and Drinks", "Traditions and Rituals", "Knowledge and Stories", "Tools and Objects", "Music, Sports and Arts",
    "Language", "Architecture", "Economy and Work", "Politics and Government", "Environment and Geography",
    "Greater Community", "Values", "Techniques and Skills", "Education", "Entertainment",
)  # fmt: skip
TYPES = {"1": "between cultures", "2": "within Korean culture", "3": "a group or situation"}
_COLUMNS = ("DescriptionID", "Description", "ScenarioBody", "MCQA", "Type", "Category")
_OPTION = re.compile(r"^([A-D])\.\s*", re.MULTILINE)


def items(place: Place, source: FileSource) -> list[Item]:
    """Items of the published array."""
    return [item for row in all_rows(place.files()) for item in _items(row.only(_COLUMNS), source)]


def split_choices(text: str) -> list[str] | None:
    """The four options of the one string, a line each; None when it does not have that form."""
    parts = _OPTION.split(text)
    if parts[0].strip() or parts[1::2] != ["A", "B", "C", "D"]:
        return None
    options = [unicodedata.normalize("NFC", part).strip() for part in parts[2::2]]
    return options if all(options) else None


def _items(row: Row, source: FileSource) -> list[Item]:
    asked: Any = row.content["MCQA"]
    if isinstance(asked, str):
        asked = parsed(asked)
    if not isinstance(asked, dict):
        row.wrong("MCQA", "an object {Question, Choices, Answer, Explanation}")
    question = Row(row.file, row.number, asked).only(("Question", "Choices", "Answer"), ("Explanation",))
    choices = split_choices(question.text("Choices"))
    if choices is None:
        question.wrong("Choices", "one string with lines that start A. B. C. D.")
    category = row.one_of("Category", CATEGORIES)
    kind = TYPES[row.one_of("Type", tuple(TYPES))]
    described = f"설명: {row.text('Description')}\n" if source.options.get("setting") == "open" else ""
    return multiple(
        source,
        row.text("DescriptionID"),
        choices,
        question.index("Answer", ("A", "B", "C", "D")),
        {"description": described, "scenario": row.text("ScenarioBody"), "question": question.text("Question")},
        stratum=category,
        groups={"category": category, "type": kind},
    )
