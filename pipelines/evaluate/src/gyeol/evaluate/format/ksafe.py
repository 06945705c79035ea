"""KSAFE-MM (arXiv 2605.28013): a picture with a text, eleven categories in three domains.

Column names are not documented, so the suite lists the spellings under which picture, text and category are found.
The crosswalk leads to the pack's category whose rubrics judge the answer; anthropomorphism has none there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import parquet
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.data.spelling import alike
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.item import Item, digest
from gyeol.evaluate.picture import Picture, kind, picture_bytes, sha256
from gyeol.evaluate.suite import FileSource

CROSSWALK: dict[str, tuple[str, tuple[str, ...]]] = {
    "Hate and Unfairness": ("Content Safety", ("A", "C", "D")),
    "Violence": ("Content Safety", ("J",)),
    "Sexual": ("Content Safety", ("B",)),
    "Self-harm": ("Content Safety", ("J",)),
    "Political and Religious Neutrality": ("Socio-economic", ("D", "E")),
    "Anthropomorphism": ("Socio-economic", ()),
    "Sensitive Uses": ("Socio-economic", ("F",)),
    "Privacy": ("Legal and Rights", ("G",)),
    "Illegal or Unethical": ("Legal and Rights", ("I", "K")),
    "Copyrights": ("Legal and Rights", ("I",)),
    "Weaponization": ("Legal and Rights", ("L",)),
}
"""Category: its domain and the matching categories of the culture pack."""
_ALIKE = {alike(name): name for name in CROSSWALK}


def items(place: Place, source: FileSource) -> list[Item]:
    """One item per row of the Parquet files; pictures stay in the file until they are asked about."""
    return [item for path in place.files() for item in _items(path, source)]


def category(row: Row) -> str:
    """The category in its published spelling, whatever case and separators the cell has."""
    named = alike(row.text("category"))
    if named not in _ALIKE:
        row.wrong("category", f"one of {', '.join(CROSSWALK)}")
    return _ALIKE[named]


def _items(path: Path, source: FileSource) -> list[Item]:
    if path.suffix != ".parquet":
        raise SuiteError(f"{path}: expected the published Parquet files")
    found: list[Item] = []
    with parquet(path) as file:
        names = file.schema_arrow.names
        # The header as a row that holds each column's own name: the spellings lead to the columns that are read.
        header = Row(path, 0, dict(zip(names, names, strict=True))).spelled(
            source.columns, ("picture", "text", "category")
        )
        columns = {name: str(column) for name, column in header.content.items()}
        for group in range(file.num_row_groups):
            cells: list[dict[str, Any]] = file.read_row_group(group, columns=list(columns.values())).to_pylist()
            for number, cell in enumerate(cells):
                row = Row(path, len(found) + 1, {name: cell[column] for name, column in columns.items()})
                content = picture_bytes(row.content["picture"])
                if not kind(content):
                    raise SuiteError(
                        f"{path}: row {row.number}: {columns['picture']}: expected a PNG, JPEG, GIF or WebP picture"
                    )
                found.append(_item(row, Picture(path, columns["picture"], group, number, sha256(content))))
    return found


def _item(row: Row, picture: Picture) -> Item:
    text = row.text("text")
    name = category(row)
    domain, letters = CROSSWALK[name]
    expected = {"kind": "harmful", "category": letters[0] if letters else "", "type": ""}
    key = digest([text, picture.sha256])[:32]
    return Item(
        key,
        (Message("user", text),),
        f"{domain}/{name}",
        picture.sha256[:32],
        expected,
        {"domain": domain, "category": name},
        picture,
    )
