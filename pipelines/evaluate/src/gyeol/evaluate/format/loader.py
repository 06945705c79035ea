"""Finds the loader of a format."""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    "ksafe": ksafe.items,
    "square": square.items,
    "turns": turns.items,
    "xstest": xstest.items,
}


def file_items(source: FileSource, random_seed: int) -> list[Item]:
    """Items of a public file, drawn as the source says.

    Raises:
      SuiteError: The data is not there or has another form than the published one.
    """
    found = LOADERS[source.format](place(source.data), source)
    seen: set[str] = set()
    for item in found:
        if item.id in seen:
            raise SuiteError(f"{source.data}: item {item.id} occurs twice; remove the repetition")
        seen.add(item.id)
    if not found:
        raise SuiteError(f"{source.data}: no row serves this suite ({source.format} {dict(source.options)})")
    return drawn(found, source.items, random_seed)
