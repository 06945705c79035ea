"""Lineage: from a thing to everything it was made from, or to everything made from it, breadth first and bounded.

A tree would repeat what is shared (one policy stands behind every triplet), so a node is opened where it appears first.
"""

from __future__ import annotations

import enum
from collections import deque
from typing import Final, Protocol

from gyeol.ledger.domain.node import Key, Node
from gyeol.ledger.errors import FieldInvalidError, NodeMissingError

DEPTH: Final = 6
CHILDREN: Final = 50
_DEEPEST: Final = 20
_WIDEST: Final = 500
_NODES: Final = 1000
"""Nodes of one answer; the rest is counted."""


class Direction(enum.Enum):
    ORIGINS = "origins"
    EFFECTS = "effects"


class Graph(Protocol):
    async def find(self, name: str) -> Key | None:
        """The node a person means by a name."""
        ...

    async def node(self, key: Key) -> Node:
        """The node without children."""
        ...

    async def origins(self, key: Key, limit: int) -> tuple[list[Key], int]:
        """What a node was made from: at most `limit`, and how many there are."""
        ...

    async def effects(self, key: Key, limit: int) -> tuple[list[Key], int]:
        """What was made from a node: at most `limit`, and how many there are."""
        ...


class Lineage:
    """Walks the graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def trace(self, name: str, direction: Direction, depth: int, children: int) -> Node:
        """The tree below a node.

        Args:
          name: A run, a digest, a triplet id, a policy id or `law:<name> <article>`.
          direction: Towards origins or effects.
          depth: Levels below the node; 0 takes the default of 6.
          children: Children shown for each node; 0 takes the default of 50.

        Raises:
          FieldInvalidError: A limit is too large.
          NodeMissingError: Nothing is known by that name.
        """
        depth = _bounded("max_depth", depth or DEPTH, _DEEPEST)
        children = _bounded("max_children", children or CHILDREN, _WIDEST)
        key = await self._graph.find(name.strip()) if name.strip() else None
        if key is None:
            raise NodeMissingError(name)
        step = self._graph.origins if direction is Direction.ORIGINS else self._graph.effects
        root = await self._graph.node(key)
        seen = {key}
        waiting = deque([(root, 0)])
        while waiting:
            node, level = waiting.popleft()
            if level == depth:
                continue
            keys, count = await step(node.key, children)
            for child_key in keys:
                again = child_key in seen
                if not again and len(seen) >= _NODES:
                    break
                child = await self._graph.node(child_key)
                node.children.append(child)
                if again:
                    child.facts["shown"] = "above"
                else:
                    seen.add(child_key)
                    waiting.append((child, level + 1))
            node.left_out = count - len(node.children)
        return root


def _bounded(field: str, value: int, largest: int) -> int:
    if value > largest:
        raise FieldInvalidError(field, value, "too large for one answer", f"Ask for at most {largest}.")
    return value
