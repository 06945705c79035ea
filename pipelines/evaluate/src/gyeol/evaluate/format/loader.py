"""Finds the loader of a format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from gyeol.evaluate.data.place import Place, place
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.format import (
    click,
    humaneval,
    kculture,
    kobbq,
    koculture,
    koed,
    kornat,
    korset,
    kosbi,
    ksafe,
    square,
    turns,
    xstest,
)  # fmt: skip
from gyeol.evaluate.item import Item, drawn
from gyeol.evaluate.suite import FileSource

LOADERS: Mapping[str, Callable[[Place, FileSource], list[Item]]] = {
    "click": click.items,
    "humaneval": humaneval.items,
    "kculture": kculture.items,
    "kobbq": kobbq.items,
    "koculture": koculture.items,
    "koed": koed.items,
    "kornat": kornat.items,
    "korset": korset.items,
    "kosbi": kosbi.items,
    "ksafe": ksafe.items,
    "square": square.items,
    "turns": turns.items,
    "xstest": xstest.items,
}

LEFT_OUT: Mapping[str, Callable[[Place, FileSource], int]] = {
    "kornat": kornat.left_out,
    "kosbi": kosbi.left_out,
    "square": square.left_out,
    "xstest": xstest.left_out,
}
"""Rows that a format reads without making an item of them."""


def left_out(source: FileSource) -> int:
    """Rows that the format reads and does not ask, for a reason that its module names."""
    return LEFT_OUT[source.format](place(source.data), source) if source.format in LEFT_OUT else 0


def rows_read(source: FileSource, items: Sequence[Item]) -> int:
    """Rows of the file behind `items`: every one is read, asked under each prompt or left out for a reason of the format."""
    return len(items) // max(1, len(source.prompts)) + left_out(source)


def file_items(source: FileSource, random_seed: int) -> list[Item]:
    """Items of a public file, drawn as the source says.

    Raises:
      SuiteError: The data is not there or has another form than the published one.
    """
    found = _told_apart(LOADERS[source.format](place(source.data), source))
    if not found:
        raise SuiteError(f"{source.data}: no row serves this suite ({source.format} {dict(source.options)})")
    return drawn(found, source.items, random_seed)


def _told_apart(items: Iterable[Item]) -> list[Item]:
    """Items with ids of their own: public files repeat rows, and every row is read. A repetition stays in its cluster."""
    times: Counter[str] = Counter()
    found = []
    for item in items:
        times[item.id] += 1
        number = times[item.id]
        found.append(item if number == 1 else replace(item, id=f"{item.id}~{number}"))
    return found
