"""What jobs made and measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Protocol

from gyeol.chassis.clock import Clock
from gyeol.ledger.domain.artifact import KINDS, Artifact, MetricPoint
from gyeol.ledger.domain.run import named, parsed
from gyeol.ledger.errors import FieldInvalidError


class ArtifactRepository(Protocol):
    async def add(self, artifact: Artifact) -> None: ...

    async def find(self, run_id: str, kind: str) -> list[Artifact]: ...

    async def add_metrics(self, run_id: str, points: Sequence[MetricPoint]) -> None: ...

    async def metrics(self, run_id: str, name: str) -> list[MetricPoint]: ...


class Artifacts:
    """The use cases of artifacts and metrics."""

    def __init__(self, repository: ArtifactRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def record(self, artifact: Artifact) -> None:
        """Stores what a job made; the same digest again changes nothing.

        Raises:
          FieldInvalidError: Kind, digest, run or manifest cannot be used.
        """
        named("artifact.run_id", artifact.run_id)
        if artifact.kind not in KINDS:
            raise FieldInvalidError("artifact.kind", artifact.kind, "no such kind", f"Use one of {', '.join(KINDS)}.")
        if not artifact.digest:
            raise FieldInvalidError("artifact.digest", "", "empty", "Send the digest of what was made.")
        parsed("artifact.manifest_json", artifact.manifest_json or "{}")
        await self._repository.add(dataclasses.replace(artifact, created_at=self._clock.now()))

    async def find(self, run_id: str, kind: str) -> list[Artifact]:
        """Artifacts, oldest first; empty arguments let all pass."""
        return await self._repository.find(run_id, kind)

    async def record_metrics(self, run_id: str, points: Sequence[MetricPoint]) -> None:
        """Stores points of training curves. Raises: FieldInvalidError."""
        named("run_id", run_id)
        for point in points:
            if not point.name:
                raise FieldInvalidError("points.name", "", "empty", "Name the metric, for example `rewards/margins`.")
        if points:
            await self._repository.add_metrics(run_id, points)

    async def metrics(self, run_id: str, name: str) -> list[MetricPoint]:
        """Points by name and step; an empty name lets all pass."""
        return await self._repository.metrics(run_id, name)
