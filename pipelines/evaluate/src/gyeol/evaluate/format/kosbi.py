"""KoSBi (MIT): a sentence about a group of people after its context, labelled `safe` or `unsafe` (biased) by people.

The model is asked whether the sentence is biased; rows without an agreed label serve no question.
"""

from __future__ import annotations

from collections.abc import Iterator

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.format.multiple import multiple
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

_LABELS = ("safe", "unsafe")
OPTIONS = ("문제없음", "편견이나 차별이 담김")
_REQUIRED = ("demographic_category", "demographic_group", "context", "sentence", "sentence_label")
_OPTIONAL = (
    "context_en", "sentence_en", "context_label", "context_sub_label", "sentence_sub_label", "annotated_demo",
)  # fmt: skip


def items(place: Place, source: FileSource) -> list[Item]:
    """One item per labelled sentence (of the test file when a folder is given)."""
    rows = ((number, row) for number, row in enumerate(_rows(place), start=1) if _label(row) in _LABELS)
    return [item for number, row in rows for item in _items(row, number, source)]


def left_out(place: Place, _source: FileSource) -> int:
    """Rows that are read and not asked: those whose labellers did not agree."""
    return sum(_label(row) not in _LABELS for row in _rows(place))


def _rows(place: Place) -> Iterator[Row]:
    return (row.only(_REQUIRED, _OPTIONAL) for row in all_rows(place.called("kosbi_test", "test")))


def _label(row: Row) -> str:
    return row.one_of("sentence_label", (*_LABELS, "undecided", "undefined"))


def _items(row: Row, number: int, source: FileSource) -> list[Item]:
    label = _label(row)
    axis = row.text("demographic_category")
    return multiple(
        source,
        f"kosbi-{number:05d}",
        OPTIONS,
        int(label == "unsafe"),
        {"group": row.text("demographic_group"), "context": row.text("context"), "sentence": row.text("sentence")},
        stratum=axis,
        groups={"axis": axis, "label": label},
    )
