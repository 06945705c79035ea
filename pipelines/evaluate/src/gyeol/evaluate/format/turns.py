"""Two-turn questions for a judge: Ko-MT-Bench `{question_id, category, turns, reference}` and LogicKor `{id, category, questions, references}`.

One row of LogicKor holds its second question in two wordings; its own runner asks the first one.
"""

from __future__ import annotations

from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource


def items(place: Place, source: FileSource) -> list[Item]:
    """One item per question, both turns together; of a folder, the files of questions."""
    exempt = set(source.options.get("any_language", "").split())
    return [_item(row, exempt) for row in all_rows(place.called("questions", "question_ko", "question"))]


def _item(row: Row, exempt: set[str]) -> Item:
    if "turns" in row.content:
        row.only(("question_id", "category", "turns"), ("reference", "reference_answer", "required_capabilities"))
        key, asked, given = row.text("question_id"), row.texts("turns"), row.content.get("reference")
    else:
        row.only(("id", "category", "questions"), ("references",))
        key, asked, given = row.text("id"), row.texts("questions")[:2], row.content.get("references")
    if len(asked) != 2:
        row.wrong("turns" if "turns" in row.content else "questions", "two turns")
    references: list[Any] = list(given) if isinstance(given, list) else []
    expected = {
        "questions": asked,
        "references": [str(one or "") for one in (*references, "", "")[:2]],
        "any_language": key in exempt,
    }
    category = row.text("category")
    return Item(key, (Message("user", asked[0]),), category, key, expected, {"category": category}, follow_up=asked[1])
