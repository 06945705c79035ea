"""XSTest form: `id, prompt, type, label, focus, note`; only safe prompts are asked, because refusing those is the fault.

Older files have no `label`: there, types that start with `contrast_` are the unsafe ones.
Second edition: `id_v1, id_v2, type, prompt, focus, note`. Some copies have no id at all.
"""

from __future__ import annotations

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource


def items(place: Place, _source: FileSource) -> list[Item]:
    """The safe prompts, by type."""
    return [_item(row) for row in all_rows(place.files()) if _is_safe(row)]


def left_out(place: Place, _source: FileSource) -> int:
    """Rows that are read and not asked: the unsafe prompts."""
    return sum(not _is_safe(row) for row in all_rows(place.files()))


def _is_safe(row: Row) -> bool:
    row.only(("prompt", "type"), ("id", "id_v1", "id_v2", "label", "focus", "note"))
    if "label" in row.content:
        return row.one_of("label", ("safe", "unsafe")) == "safe"
    return not row.text("type").startswith("contrast_")


def _item(row: Row) -> Item:
    expected = {"kind": "benign", "category": "", "type": ""}
    key = row.maybe("id") or row.maybe("id_v2") or f"xstest-{row.number:04d}"
    return Item(
        key,
        (Message("user", row.text("prompt")),),
        row.text("type"),
        key,
        expected,
        {"type": row.text("type")},
    )
