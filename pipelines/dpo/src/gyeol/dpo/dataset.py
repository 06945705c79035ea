"""The sealed dataset: believed only after its hashes were computed anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.dpo.errors import DatasetError

_HELD_OUT_ONE_IN = 20


@dataclass(frozen=True)
class Sealed:
    """A dataset whose files are what its manifest says."""

    folder: Path
    digest: str
    files: tuple[Path, ...]
    """Parquet shards in order."""
    manifest: dict[str, Any]


@dataclass(frozen=True)
class Pairs:
    """Rows of a sealed dataset, split by mold."""

    train: tuple[dict[str, Any], ...]
    held_out: tuple[dict[str, Any], ...]
    """About one mold in twenty: training accuracy alone is no evidence."""


def sealed(folder: Path) -> Sealed:
    """Checks the folder against its manifest.

    Raises:
      DatasetError: No manifest (not sealed), or the first file that is missing or differs.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        digest, listed = str(manifest["digest"]), list(manifest["files"])
    except FileNotFoundError:
        raise DatasetError(
            f"{folder}/manifest.json is missing: the dataset was not sealed to its end; seal it again"
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DatasetError(f"{folder}/manifest.json cannot be read: {error}; seal the dataset again") from error
    for file in listed:
        path = folder / file["path"]
        try:
            with path.open("rb") as content:
                found = hashlib.file_digest(content, "sha256").hexdigest()
        except OSError as error:
            raise DatasetError(f"{path} cannot be read: {error.strerror}; seal the dataset again") from error
        if found != str(file["sha256"]).removeprefix("sha256:"):
            raise DatasetError(
                f"{path} is not the file that was sealed (sha256 differs); seal the dataset again, do not train on it"
            )
    shards = tuple(folder / file["path"] for file in listed if file["path"].endswith(".parquet"))
    if not shards:
        raise DatasetError(f"{folder}/manifest.json lists no Parquet file; seal the dataset again")
    whole = Sealed(folder, digest, shards, manifest)
    if root := _root(_rows(shards)):
        if root != digest:
            raise DatasetError(f"{folder}: the rows do not add up to the manifest's digest; seal the dataset again")
    else:
        raise DatasetError(f"{folder}: the dataset is empty; accept triplets before training")
    return whole


def pairs(data: Sealed) -> Pairs:
    """Splits the rows by a hash of their mold; a dataset of few molds keeps all for training."""
    train: list[dict[str, Any]] = []
    held_out: list[dict[str, Any]] = []
    for row in _rows(data.files):
        number = int.from_bytes(hashlib.sha256(row["mold_id"].encode()).digest()[:4], "big")
        (held_out if number % _HELD_OUT_ONE_IN == 0 else train).append(row)
    if not train:
        return Pairs(tuple(held_out), ())
    return Pairs(tuple(train), tuple(held_out))


def _rows(shards: Sequence[Path]) -> Iterator[dict[str, Any]]:
    import pyarrow.parquet as pq

    for shard in shards:
        for batch in pq.ParquetFile(shard).iter_batches():
            yield from batch.to_pylist()


def _root(rows: Iterator[dict[str, Any]]) -> str | None:
    """Merkle root as RFC 6962 defines it, over the canonical JSON of the rows; None without rows."""
    stack: list[tuple[int, bytes]] = []
    for row in rows:
        text = json.dumps(row, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        size, node = 1, hashlib.sha256(b"\x00" + text.encode()).digest()
        while stack and stack[-1][0] == size:
            size, node = size * 2, hashlib.sha256(b"\x01" + stack.pop()[1] + node).digest()
        stack.append((size, node))
    if not stack:
        return None
    node = stack.pop()[1]
    while stack:
        node = hashlib.sha256(b"\x01" + stack.pop()[1] + node).digest()
    return f"sha256:{node.hex()}"
