"""The Merkle root is the one of RFC 6962."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from gyeol.ledger.domain.merkle import leaf, root


def _by_definition(rows: list[bytes]) -> bytes:
    """MTH of RFC 6962, section 2.1, word for word."""
    if not rows:
        return hashlib.sha256(b"").digest()
    if len(rows) == 1:
        return hashlib.sha256(b"\x00" + rows[0]).digest()
    split = 1
    while split * 2 < len(rows):
        split *= 2
    return hashlib.sha256(b"\x01" + _by_definition(rows[:split]) + _by_definition(rows[split:])).digest()


@given(st.lists(st.binary(max_size=20), max_size=70))
def test_the_streaming_root_equals_the_definition(rows: list[bytes]) -> None:
    assert root(leaf(row) for row in rows) == f"sha256:{_by_definition(rows).hex()}"


def test_a_known_vector() -> None:
    # The tree of the test inputs "", 00, 10 of the Certificate Transparency reference implementation.
    rows = [b"", b"\x00", b"\x10"]
    expected = "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77"
    assert root(map(leaf, rows)) == f"sha256:{expected}"
