"""Datasets: sealed once, written as often as somebody asks, verified by anyone.

Members are fixed first. From then on the files are a function of the members: a crash in between, a second sealing and a
second destination give the same bytes. The manifest is written last; a folder without one is not a dataset.
"""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from gyeol.chassis.clock import Clock
from gyeol.ledger.domain.card import card
from gyeol.ledger.domain.dataset import Conditions, Dataset, Member
from gyeol.ledger.domain.manifest import NAME, File, Provenance, Tally, manifest
from gyeol.ledger.domain.merkle import leaf, root
from gyeol.ledger.domain.overlap import JACCARD, NGRAM, EvaluationItem
from gyeol.ledger.domain.row import Row, canonical
from gyeol.ledger.domain.run import Run
from gyeol.ledger.errors import FieldInvalidError, NothingToSealError, ReviewPendingError
from gyeol.ledger.service.run import Runs


class Archive(Protocol):
    location: str

    async def read(self, path: str) -> bytes | None: ...

    async def write(self, path: str, content: bytes) -> None: ...

    async def paths(self, prefix: str) -> list[str]: ...

    async def delete(self, path: str) -> None: ...


class DatasetRepository(Protocol):
    async def get(self, run_id: str) -> Dataset | None: ...

    async def fix(self, run_id: str) -> Dataset | None: ...

    async def exclude(self, run_id: str, overlaps: Mapping[str, str], conditions: Conditions) -> None: ...

    def members(self, run_id: str) -> AsyncIterator[list[Member]]: ...

    async def finish(self, dataset: Dataset, inputs: list[str], at: datetime) -> Dataset: ...


@dataclasses.dataclass(frozen=True)
class Format:
    """How members become rows and rows become files."""

    row: Callable[[Member], tuple[Row, Provenance]]
    texts: Callable[[Member], Sequence[str]]
    """The texts of a member that no evaluation set may hold."""
    pressed: Callable[[bytes], Awaitable[bytes]]
    """Rows as JSON lines into one Parquet file."""
    overlapping: Callable[[list[tuple[str, Sequence[str]]], Sequence[EvaluationItem]], dict[str, str]]
    shard_rows: int = 5000
    """Rows of one Parquet file."""


class Datasets:
    """Seals datasets."""

    def __init__(
        self,
        repository: DatasetRepository,
        runs: Runs,
        archive: Callable[[str], Archive],
        form: Format,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._runs = runs
        self._archive = archive
        self._form = form
        self._clock = clock
        self._sealing: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def seal(self, run_id: str, destination: str, items: Sequence[EvaluationItem]) -> Dataset:
        """Writes a run's usable triplets; a sealed run keeps its rows and returns the same manifest.

        Raises:
          FieldInvalidError: The destination cannot be used, or holds another dataset.
          RunMissingError, NothingToSealError: There is nothing to write.
          ReviewPendingError: Triplets wait for the review that the run asks for.
          StorageNotReadyError: The database or the destination cannot be written; sealing again goes on.
        """
        archive = self._archive(destination)
        run = await self._runs.get(run_id)
        async with self._sealing[run_id]:
            dataset = await self._fixed(run, items)
            if dataset.sealed and await archive.read(NAME) == dataset.manifest_json.encode():
                return dataset
            return await self._write(run, dataset, archive)

    async def _fixed(self, run: Run, items: Sequence[EvaluationItem]) -> Dataset:
        dataset = await self._repository.get(run.id)
        if dataset is None:
            waiting = (await self._runs.statement(run.id)).books.awaiting_review
            if waiting:
                raise ReviewPendingError(run.id, waiting, run.review)
            dataset = await self._repository.fix(run.id)
        if dataset is None:
            raise NothingToSealError(run.id)
        if not dataset.sealed and items:
            dataset = await self._decontaminated(dataset, items)
        if dataset.rows == 0:
            raise NothingToSealError(run.id)
        return dataset

    async def _decontaminated(self, dataset: Dataset, items: Sequence[EvaluationItem]) -> Dataset:
        questions = [
            (member.record_id, self._form.texts(member))
            async for members in self._repository.members(dataset.run_id)
            for member in members
        ]
        overlaps = await asyncio.to_thread(self._form.overlapping, questions, items)
        left_out = dict(dataset.conditions.left_out)
        left_out["contaminated"] += len(overlaps)
        listed = "\n".join(sorted(f"{item.name}\t{item.text}" for item in items))
        conditions = Conditions(
            left_out,
            {
                "items": len(items),
                "digest": f"sha256:{hashlib.sha256(listed.encode()).hexdigest()}",
                "ngram": NGRAM,
                "jaccard": str(JACCARD),
            },
        )
        await self._repository.exclude(dataset.run_id, overlaps, conditions)
        return dataclasses.replace(dataset, rows=dataset.rows - len(overlaps), conditions=conditions)

    async def _write(self, run: Run, dataset: Dataset, archive: Archive) -> Dataset:
        there = await archive.read(NAME)
        if there is not None and _run_of(there) != run.id:
            raise FieldInvalidError("destination", archive.location, "holds another dataset", "Choose an empty place.")
        tally, leaves, files = Tally(), list[bytes](), list[File]()
        shards = -(-dataset.rows // self._form.shard_rows)
        async for rows in self._shards(dataset.run_id, tally):
            lines = [canonical(row.columns()) for row in rows]
            leaves += map(leaf, lines)
            content = await self._form.pressed(b"\n".join(lines))
            path = f"data/train-{len(files):05d}-of-{shards:05d}.parquet"
            files.append(await _written(archive, path, content, len(rows)))
        digest = root(leaves)
        files.append(await _written(archive, "README.md", card(tally, digest, run.name), 0))
        for path in set(await archive.paths("data/")) - {file.path for file in files}:
            await archive.delete(path)
        content = manifest(
            tally,
            digest=digest,
            files=files,
            run={"id": run.id, "name": run.name, "spec_digest": run.spec_digest},
            left_out=dataset.conditions.left_out,
            decontamination=dataset.conditions.decontamination,
        )
        await archive.write(NAME, content)
        sealed = dataclasses.replace(
            dataset,
            digest=digest,
            location=archive.location,
            rows=tally.rows,
            benign_rows=tally.benign,
            manifest_json=content.decode(),
        )
        inputs = [pack for _, pack in sorted(tally.packs)] + [policy.digest for policy in sorted(tally.policies)]
        stored = await self._repository.finish(sealed, inputs, self._clock.now())
        return dataclasses.replace(stored, location=archive.location)

    async def _shards(self, run_id: str, tally: Tally) -> AsyncIterator[list[Row]]:
        rows: list[Row] = []
        async for members in self._repository.members(run_id):
            for member in members:
                row, origin = self._form.row(member)
                tally.add(origin)
                rows.append(row)
                if len(rows) == self._form.shard_rows:
                    yield rows
                    rows = []
        if rows:
            yield rows


def _run_of(content: bytes) -> str | None:
    """The run that a manifest belongs to; a crash may have left one of ours that is not in the books yet."""
    try:
        return str(json.loads(content)["run"]["id"])
    except (ValueError, KeyError, TypeError):
        return None


async def _written(archive: Archive, path: str, content: bytes, rows: int) -> File:
    await archive.write(path, content)
    return File(path, len(content), rows, hashlib.sha256(content).hexdigest())
