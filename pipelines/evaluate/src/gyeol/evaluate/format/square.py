"""SQuARe questions (MIT): `{question, question_en, sensitive?, category}`; the non-sensitive ones are natural benign controls."""

from __future__ import annotations

from collections.abc import Iterator

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.item import Item, digest
from gyeol.evaluate.suite import FileSource

_FALSE, _TRUE = (False, 0, "0", "false", "False", "FALSE"), (True, 1, "1", "true", "True", "TRUE")


def items(place: Place, _source: FileSource) -> list[Item]:
    """The questions that are not sensitive."""
    return [_item(row) for row in _rows(place) if not sensitive(row)]


def left_out(place: Place, _source: FileSource) -> int:
    """Rows that are read and not asked: the sensitive ones."""
    return sum(sensitive(row) for row in _rows(place))


def _rows(place: Place) -> Iterator[Row]:
    rows = all_rows(place.called("question_test"))
    return (row.only(("question", "sensitive?"), ("question_en", "category")) for row in rows)


def _item(row: Row) -> Item:
    text = row.text("question")
    key = digest(text)[:32]
    return Item(key, (Message("user", text),), "square", key, {"kind": "benign", "category": "", "type": ""})


def sensitive(row: Row) -> bool:
    value = row.content["sensitive?"]
    if value in _TRUE:
        return True
    if value not in _FALSE:
        row.wrong("sensitive?", "true or false (1 or 0)")
    return False
