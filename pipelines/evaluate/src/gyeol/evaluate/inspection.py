"""What a public file holds, counted and set beside the published counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource, Suite


@dataclass(frozen=True)
class Count:
    what: str
    """`rows`, `items`, or `<group>: <value>`."""
    found: int
    published: int | None
    """None: no count was published."""

    @property
    def differs(self) -> bool:
        return self.published is not None and self.published != self.found


def counts(suite: Suite, items: Sequence[Item], rows: int) -> list[Count]:
    """Every count the suite knows, and the strata; `rows` were read from the file."""
    asked = len(items) // max(1, len(suite.source.prompts)) if isinstance(suite.source, FileSource) else len(items)
    found = [
        Count(what, number, published if isinstance(published := suite.counts.get(what), int) else None)
        for what, number in (("rows", rows), ("rows read and not asked", rows - asked), ("items", len(items)))
        if number or what != "rows read and not asked"
    ]
    counted = len(found)
    for group, values in suite.counts.items():
        if isinstance(values, Mapping):
            there = Counter(item.groups.get(group, "") for item in items)
            found += [
                Count(f"{group}: {value}", there[value], values.get(value)) for value in sorted({*values, *there})
            ]
    if len(found) == counted:
        strata = Counter(item.stratum for item in items)
        found += [Count(f"stratum: {name}", number, None) for name, number in sorted(strata.items())]
    return found
