"""The port, and the store of one process."""

from __future__ import annotations

from typing import Protocol


class KeyValue(Protocol):
    """Keys are letters, digits and `-/_=.`; hexadecimal digests fit."""

    async def get(self, key: str) -> bytes | None:
        """The stored value, or None."""
        ...

    async def create(self, key: str, value: bytes) -> bytes:
        """Stores the value unless there is one; returns the stored value, which may be somebody else's."""
        ...


class Memory:
    """Keeps values in this process, for previews and tests."""

    def __init__(self) -> None:
        self._values: dict[str, bytes] = {}

    async def get(self, key: str) -> bytes | None:
        return self._values.get(key)

    async def create(self, key: str, value: bytes) -> bytes:
        return self._values.setdefault(key, value)
