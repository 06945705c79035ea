"""A JetStream key-value bucket."""

from __future__ import annotations

import re
from typing import Any, Final

import nats.errors
import nats.js.errors
from nats.js.api import KeyValueConfig

from gyeol.chassis.errors import InvalidError, NotReadyError

_KEY: Final = re.compile(r"[-/_=.a-zA-Z0-9]+")
VALUE_BYTES: Final = 512 * 1024
"""Largest value."""


class Bucket:
    """Values shared by all replicas. Get one from `Bus.bucket`."""

    def __init__(self, kv: Any) -> None:
        self._kv = kv

    @classmethod
    async def open(cls, js: Any, name: str, max_bytes: int, ensure: bool) -> Bucket:
        """Opens the bucket and makes it where there is none."""
        try:
            return cls(await js.key_value(name))
        except nats.js.errors.BucketNotFoundError:
            if not ensure:
                raise NotReadyError(f"bucket {name} does not exist: let the set-up job create it") from None
        config = KeyValueConfig(bucket=name, direct=True, history=1, max_bytes=max_bytes)
        return cls(await js.create_key_value(config))

    async def get(self, key: str) -> bytes | None:
        try:
            entry = await self._kv.get(_checked(key))
        except nats.js.errors.KeyNotFoundError:
            return None
        except (OSError, nats.errors.Error) as error:
            raise NotReadyError(f"the store did not answer: {type(error).__name__}") from error
        return bytes(entry.value or b"")

    async def create(self, key: str, value: bytes) -> bytes:
        if len(value) > VALUE_BYTES:
            raise InvalidError(f"value of {len(value)} bytes for key {key}: at most {VALUE_BYTES}; keep it elsewhere")
        try:
            await self._kv.create(_checked(key), value)
        except nats.js.errors.KeyWrongLastSequenceError:
            stored = await self.get(key)
            return value if stored is None else stored
        except (OSError, nats.errors.Error) as error:
            raise NotReadyError(f"the store did not answer: {type(error).__name__}") from error
        return value


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key) or key.startswith(".") or key.endswith("."):
        raise InvalidError(f"key {key!r}: use letters, digits and -/_=. only, no dot at either end")
    return key
