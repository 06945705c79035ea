"""A JetStream key-value bucket."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

import nats.errors
import nats.js.errors
from nats.js.api import KeyValueConfig

from gyeol.chassis.errors import InvalidError, NotReadyError

_KEY: Final = re.compile(r"[-/_=.a-zA-Z0-9]+")
_GONE: Final = (nats.errors.NoRespondersError, nats.js.errors.NoStreamResponseError)
VALUE_BYTES: Final = 512 * 1024
"""Largest value."""


class Bucket:
    """Values shared by all replicas. Get one from `Bus.bucket`.

    Args:
      js: The JetStream context.
      name: Name of the bucket.
      max_bytes: Size of the whole bucket; -1: no limit.
      replicas: Copies of it; 0: never make it, it has to exist.
    """

    def __init__(self, js: Any, name: str, max_bytes: int, replicas: int) -> None:
        self._js = js
        self._config = KeyValueConfig(
            bucket=name, direct=True, history=1, max_bytes=max_bytes, replicas=max(1, replicas)
        )
        self._may_make = replicas > 0
        self._kv: Any = None

    async def open(self) -> None:
        """Opens the bucket, and makes it where there is none.

        Raises:
          NotReadyError: There is none and it may not be made.
        """
        try:
            self._kv = await self._js.key_value(self._config.bucket)
        except nats.js.errors.BucketNotFoundError:
            if not self._may_make:
                raise NotReadyError(
                    f"bucket {self._config.bucket} does not exist: let the set-up job create it"
                ) from None
            self._kv = await self._js.create_key_value(self._config)

    async def get(self, key: str) -> bytes | None:
        """The stored value, or None.

        Raises:
          InvalidError: The key has other signs than letters, digits and `-/_=.`.
          NotReadyError: The broker did not answer.
        """
        try:
            entry = await self._asked(self._get, _checked(key))
        except nats.js.errors.KeyNotFoundError:
            return None
        return bytes(entry.value or b"")

    async def create(self, key: str, value: bytes) -> bytes:
        """Stores the value unless there is one; returns the stored value, which may be somebody else's.

        Raises:
          InvalidError: The value is too large, or the key has other signs than letters, digits and `-/_=.`.
          NotReadyError: The broker did not answer.
        """
        if len(value) > VALUE_BYTES:
            raise InvalidError(f"value of {len(value)} bytes for key {key}: at most {VALUE_BYTES}; keep it elsewhere")
        try:
            await self._asked(self._create, _checked(key), value)
        except nats.js.errors.KeyWrongLastSequenceError:
            stored = await self.get(key)
            return value if stored is None else stored
        return value

    async def _get(self, key: str) -> Any:
        return await self._kv.get(key)

    async def _create(self, key: str, value: bytes) -> Any:
        return await self._kv.create(key, value)

    async def _asked(self, question: Callable[..., Awaitable[Any]], *arguments: Any) -> Any:
        """Asks the broker; once more when it lost the bucket with its store."""
        try:
            try:
                return await question(*arguments)
            except _GONE:
                await self.open()
                return await question(*arguments)
        except nats.js.errors.KeyValueError:
            raise
        except (OSError, nats.errors.Error) as error:
            raise NotReadyError(f"the store did not answer: {type(error).__name__}") from error


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key) or key.startswith(".") or key.endswith("."):
        raise InvalidError(f"key {key!r}: use letters, digits and -/_=. only, no dot at either end")
    return key
