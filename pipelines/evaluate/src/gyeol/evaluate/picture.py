"""A picture of an item, read from its Parquet file only when it is asked about: tens of thousands do not fit into memory."""

from __future__ import annotations

import base64
import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_KINDS = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))


@dataclass(frozen=True)
class Picture:
    file: Path
    column: str
    group: int
    """Row group of the Parquet file."""
    row: int
    """Within the row group."""
    sha256: str

    def url(self) -> str:
        """The picture as a `data:` URL, as OpenAI-compatible endpoints take it."""
        content = picture_bytes(_group(self.file, self.column, self.group)[self.row])
        return f"data:{kind(content)};base64,{base64.b64encode(content).decode('ascii')}"


def picture_bytes(cell: Any) -> bytes:
    """Bytes of an image cell: plain bytes, or the struct {bytes, path} of the datasets library; empty when it holds none."""
    if isinstance(cell, dict):
        cell = cell.get("bytes")
    return bytes(cell) if isinstance(cell, bytes | bytearray) else b""


def kind(content: bytes) -> str:
    """MIME type by the first bytes; empty when it is no known picture."""
    return next((name for magic, name in _KINDS if content.startswith(magic)), "")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@functools.lru_cache(maxsize=1)
def _group(file: Path, column: str, group: int) -> list[Any]:
    import pyarrow.parquet as pq

    with pq.ParquetFile(file) as opened:
        return list(opened.read_row_group(group, columns=[column]).column(column).to_pylist())
