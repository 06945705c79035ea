"""Verification: a sealed dataset is whole when every file and every row hashes to what its manifest says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Protocol

from gyeol.ledger.domain.dataset import Conditions, Dataset
from gyeol.ledger.domain.manifest import NAME, SCHEMA
from gyeol.ledger.domain.merkle import leaf, root
from gyeol.ledger.errors import DatasetDamagedError, DatasetMissingError

Unpressed = Callable[[bytes], Awaitable[bytes]]
"""The rows of a Parquet file as JSON lines, in the form that is hashed."""


class Source(Protocol):
    location: str

    async def read(self, path: str) -> bytes | None: ...

    async def paths(self, prefix: str) -> list[str]: ...


async def verified(source: Source, unpressed: Unpressed) -> Dataset:
    """The dataset at a place, once everything in it was recomputed.

    Raises:
      DatasetMissingError: There is no manifest.
      DatasetDamagedError: Names the first file that does not match.
    """
    content = await source.read(NAME)
    if content is None:
        raise DatasetMissingError(source.location)
    manifest = _manifest(content)
    leaves: list[bytes] = []
    async for path, held in _files(source, manifest):
        if path.endswith(".parquet"):
            try:
                leaves += map(leaf, (await unpressed(held)).splitlines())
            except ValueError as error:
                raise DatasetDamagedError(path, str(error)) from None
    listed = {file["path"] for file in manifest["files"]}
    for path in await source.paths("data/"):
        if path not in listed:
            raise DatasetDamagedError(path, "is not in the manifest, but trainers would load it")
    digest = root(leaves)
    if digest != manifest["digest"] or len(leaves) != manifest["rows"]:
        raise DatasetDamagedError(
            NAME, f"says {manifest['digest']} over {manifest['rows']} rows, the files hold {digest} over {len(leaves)}"
        )
    return Dataset(
        run_id=manifest["run"]["id"],
        digest=digest,
        location=source.location,
        rows=len(leaves),
        benign_rows=manifest["benign_rows"],
        manifest_json=content.decode(),
        conditions=Conditions(manifest["left_out"], manifest["decontamination"]),
    )


async def _files(source: Source, manifest: dict[str, Any]) -> AsyncIterator[tuple[str, bytes]]:
    for file in manifest["files"]:
        content = await source.read(file["path"])
        if content is None:
            raise DatasetDamagedError(file["path"], "is missing")
        found = hashlib.sha256(content).hexdigest()
        if found != file["sha256"]:
            raise DatasetDamagedError(file["path"], f"has sha256 {found}, the manifest says {file['sha256']}")
        yield file["path"], content


def _manifest(content: bytes) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(content)
        complete = manifest["schema"] == SCHEMA and all(
            key in manifest for key in ("digest", "rows", "benign_rows", "files", "run", "left_out", "decontamination")
        )
    except (ValueError, KeyError, TypeError) as error:
        raise DatasetDamagedError(NAME, f"cannot be read ({error})") from None
    if not complete:
        raise DatasetDamagedError(NAME, f"is not a manifest of {SCHEMA}")
    return manifest
