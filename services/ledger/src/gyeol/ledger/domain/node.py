"""A node of lineage: something that was made, with what it was made from or what was made from it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Key:
    """What a node is and what it is called."""

    kind: str
    """`run`, `model`, `dataset`, `triplet`, `seed`, `policy`, `statute`, `evaluation`, `gate-verdict`, `promotion`."""
    id: str
    within: str = ""
    """The run that a record belongs to; two runs may make the same triplet."""


@dataclass
class Node:
    key: Key
    title: str
    facts: dict[str, str] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    left_out: int = 0
    """Children that exist and are not shown."""
