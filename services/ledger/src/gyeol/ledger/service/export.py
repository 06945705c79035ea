"""Reading sealed datasets: verification of any, export of a run's own. An export is written down before its first byte."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Protocol

from gyeol.chassis.clock import Clock
from gyeol.ledger.domain.dataset import Dataset
from gyeol.ledger.domain.manifest import NAME
from gyeol.ledger.domain.triplet import Access
from gyeol.ledger.errors import DatasetDamagedError, DatasetMissingError, FieldInvalidError
from gyeol.ledger.service.verification import Source, Unpressed, verified

_CHUNK = 256 * 1024


class ExportRepository(Protocol):
    async def get(self, run_id: str) -> Dataset | None: ...

    async def log(self, run_id: str, access: Access) -> None: ...


class Exports:
    """Reads sealed datasets."""

    def __init__(
        self, repository: ExportRepository, source: Callable[[str], Source], unpressed: Unpressed, clock: Clock
    ) -> None:
        self._repository = repository
        self._source = source
        self._unpressed = unpressed
        self._clock = clock

    async def verified(self, location: str) -> Dataset:
        """The dataset at a place once everything was recomputed.

        Raises:
          DatasetMissingError, DatasetDamagedError, FieldInvalidError: It is none, or not whole.
        """
        return await verified(self._source(location), self._unpressed)

    async def export(self, run_id: str, reader: str, *, as_lines: bool) -> AsyncIterator[tuple[str, bytes]]:
        """The files of a run's dataset in chunks, each with its path; as they are, or as one `train.jsonl`.

        Raises:
          FieldInvalidError: There is no reader.
          DatasetMissingError, DatasetDamagedError: The run is not sealed, or its files are gone.
        """
        if not reader.strip():
            raise FieldInvalidError("reader", reader, "empty", "Send who reads the dataset.")
        dataset = await self._repository.get(run_id)
        if dataset is None or not dataset.sealed:
            raise DatasetMissingError(f"run {run_id}")
        comment = "jsonl" if as_lines else "parquet"
        await self._repository.log(run_id, Access("exported", reader, comment, self._clock.now()))
        source = self._source(dataset.location)
        for file in json.loads(dataset.manifest_json)["files"]:
            content = await source.read(file["path"])
            if content is None:
                raise DatasetDamagedError(file["path"], f"is missing from {dataset.location}")
            if not as_lines:
                for chunk in _chunks(content):
                    yield file["path"], chunk
            elif file["path"].endswith(".parquet"):
                for chunk in _chunks(await self._unpressed(content)):
                    yield "train.jsonl", chunk
        if not as_lines:
            yield NAME, dataset.manifest_json.encode()


def _chunks(content: bytes) -> list[bytes]:
    return [content[start : start + _CHUNK] for start in range(0, len(content), _CHUNK)]
