"""Reads the header of a GGUF file.

The reader of the gguf package makes a Python object of every array element, which takes tens of seconds on a vocabulary.
Here strings are cut from a memory map: half a second.
"""

from __future__ import annotations

import math
import mmap
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gyeol.weights.errors import DamagedError

_FORMATS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True)
class TensorInfo:
    name: str
    shape: tuple[int, ...]
    """Row-major, as in PyTorch."""
    kind: int
    """GGML quantisation type."""
    offset: int
    """Bytes from the start of the file."""


@dataclass(frozen=True)
class Header:
    facts: dict[str, Any]
    """Key-value pairs, for example `llama.block_count`."""
    tensors: tuple[TensorInfo, ...]

    @property
    def architecture(self) -> str:
        return str(self.facts.get("general.architecture", ""))

    def of_model(self, key: str, default: Any = None) -> Any:
        """A fact below the architecture's name."""
        return self.facts.get(f"{self.architecture}.{key}", default)


def header(path: Path) -> Header:
    """Reads the header.

    Raises:
      DamagedError: It is no GGUF file, or ends early.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).header()
    except (struct.error, UnicodeDecodeError, KeyError, ValueError, IndexError, OverflowError, MemoryError) as error:
        raise DamagedError(f"{path}: is no whole GGUF file ({error}); fetch it again") from error


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def header(self) -> Header:
        if self._data[:4] != b"GGUF":
            raise ValueError("it does not begin with GGUF")
        self._at = 4
        version, tensors, pairs = self._numbers("<IQQ")
        if version not in (2, 3):
            raise ValueError(f"version {version} is not known")
        facts = {}
        for _ in range(pairs):
            key = self._string()
            facts[key] = self._value(*self._numbers("<I"))
        infos = []
        for _ in range(tensors):
            name = self._string()
            (dimensions,) = self._numbers("<I")
            shape = self._numbers(f"<{dimensions}Q")
            kind, offset = self._numbers("<IQ")
            infos.append((name, tuple(reversed(shape)), kind, offset))
        alignment = int(facts.get("general.alignment", 32))
        start = math.ceil(self._at / alignment) * alignment
        return Header(
            facts, tuple(TensorInfo(name, shape, kind, start + offset) for name, shape, kind, offset in infos)
        )

    def _numbers(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return values

    def _string(self) -> str:
        (length,) = self._numbers("<Q")
        if self._at + length > len(self._data):
            raise ValueError("a string reaches beyond the end")
        text = self._data[self._at : self._at + length].decode("utf-8", "surrogateescape")
        self._at += length
        return text

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            inner, count = self._numbers("<IQ")
            if inner in _FORMATS:
                return list(self._numbers(f"<{count}{_FORMATS[inner]}"))
            return [self._value(inner) for _ in range(count)]
        return self._numbers(f"<{_FORMATS[kind]}")[0]
