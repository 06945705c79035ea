"""Merkle root over rows, as RFC 6962 defines it: a dataset's identity does not depend on how its files are cut."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def leaf(row: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + row).digest()


def root(leaves: Iterable[bytes]) -> str:
    """The root over leaf hashes in order, `sha256:<hex>`; holds only log2(n) hashes at a time."""
    stack: list[tuple[int, bytes]] = []
    for hashed in leaves:
        size, node = 1, hashed
        while stack and stack[-1][0] == size:
            left = stack.pop()[1]
            size, node = size * 2, _parent(left, node)
        stack.append((size, node))
    if not stack:
        return f"sha256:{hashlib.sha256(b'').hexdigest()}"
    node = stack.pop()[1]
    while stack:
        node = _parent(stack.pop()[1], node)
    return f"sha256:{node.hex()}"


def _parent(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()
