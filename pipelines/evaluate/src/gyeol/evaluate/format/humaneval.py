"""HumanEval+ form: `{task_id, prompt, entry_point, test}`; the answer is a program that is run, isolated."""

from __future__ import annotations

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource


def items(place: Place, source: FileSource) -> list[Item]:
    """One item per task."""
    return [_item(row, source) for row in all_rows(place.files())]


def _item(row: Row, source: FileSource) -> Item:
    for column in ("task_id", "prompt", "entry_point", "test"):
        row.text(column)
    # Programs keep their blanks: indentation is part of them.
    prompt, test = str(row.content["prompt"]), str(row.content["test"])
    text = source.prompts[0].format_map({"prompt": prompt})
    expected = {"prompt": prompt, "test": test, "entry_point": row.text("entry_point")}
    return Item(row.text("task_id"), (Message("user", text),), "program", row.text("task_id"), expected)
