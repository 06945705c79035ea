"""Carries steps out, one function for each kind of step."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from gyeol.api.ledger.v1.ledger_pb2 import Artifact, EvaluationItem, RecordArtifactRequest, SealDatasetRequest
from gyeol.api.run.v1.run_pb2 import DECISION_MAJORITY, DECISION_UNANIMOUS, ModelEndpoint, RunContext
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, SEED_KIND_HARMFUL, SeedsRequested
from gyeol.chassis.bus import Bus, Publication
from gyeol.local.engine import Engines, steady_port
from gyeol.local.made import inputs, kind, manifest
from gyeol.local.observer import Observer
from gyeol.local.order import Desk, order
from gyeol.local.peers import Peers
from gyeol.local.workshop import Workshop
from gyeol.reconcile.allotment import Kind
from gyeol.reconcile.plan import (
    CancelJob,
    RecordArtifact,
    RequestSeeds,
    RunJob,
    SealDataset,
    ServeModel,
    Step,
    StopServing,
)
from gyeol.reconcile.seen import Seen, Side

BASE = "base"
"""What `spec.data.targetModel` calls the base model."""


@dataclass(frozen=True)
class Hand:
    """What is needed to carry steps out."""

    peers: Peers
    bus: Bus
    workshop: Workshop
    engines: Engines
    observer: Observer
    session: str
    """Differs between sessions, so that what is asked for again is not taken for a repetition."""

    async def carry_out(self, step: Step, desk: Desk, seen: Seen) -> None:
        """Carries one step out."""
        match step:
            case RequestSeeds():
                await self._request_seeds(step, desk)
            case SealDataset():
                request = SealDatasetRequest(
                    run_id=desk.folder.run_id,
                    destination=str(desk.folder.dataset),
                    evaluation_items=await asyncio.to_thread(_evaluation_items, desk),
                )
                await self.peers.datasets.SealDataset(request)
            case RunJob(job=job, attempt=attempt):
                await self.workshop.start(job, attempt, order(job, desk))
            case CancelJob(job=job):
                await self.workshop.cancel(job)
            case RecordArtifact():
                await self._record(step, desk, seen)
            case ServeModel(side=side):
                model = desk.baseline if side is Side.BASELINE else desk.candidate
                known = desk.run.status.baseline if side is Side.BASELINE else desk.run.status.candidate
                port = steady_port(f"{desk.home.path}/{desk.folder.run_id}/{side}")
                self.engines.start(side, model, digest=known.digest if known else "", port=port)
            case StopServing(side=side):
                await asyncio.to_thread(self.engines.stop, side)

    async def _request_seeds(self, step: RequestSeeds, desk: Desk) -> None:
        record = f"{step.stratum}@{step.offset}+{step.count}"
        again = f"/again-{step.redrive}-{self.session}" if step.redrive else ""
        event = SeedsRequested(
            run=context(desk),
            stratum=step.stratum,
            kind=SEED_KIND_BENIGN if step.kind is Kind.BENIGN else SEED_KIND_HARMFUL,
            offset=step.offset,
            count=step.count,
        )
        run_id = desk.folder.run_id
        await self.bus.publish(Publication(event, run_id, record, id=f"{run_id}/{record}{again}"))

    async def _record(self, step: RecordArtifact, desk: Desk, seen: Seen) -> None:
        one = seen.jobs[step.job]
        dataset = seen.dataset.digest if seen.dataset else ""
        artifact = Artifact(
            kind=kind(step.job),
            digest=one.digest,
            run_id=desk.folder.run_id,
            location=one.location,
            inputs=inputs(step.job, seen.jobs, dataset),
            manifest_json=manifest(step.job, desk).read_text(encoding="utf-8"),
        )
        await self.peers.artifacts.RecordArtifact(RecordArtifactRequest(artifact=artifact))
        self.observer.record(step.job)


def context(desk: Desk) -> RunContext:
    """What every stage must know about the run."""
    data, status = desk.run.spec.data, desk.run.status
    own_model_only = data.endpoints_ref.name == "builtin"
    limited = data.budget.money is not None or data.budget.tokens is not None
    return RunContext(
        run_id=desk.folder.run_id,
        culture=desk.run.spec.culture.name,
        pack_digest=status.culture.digest if status.culture else "",
        endpoints=data.endpoints_ref.name,
        target=_target(desk),
        writers=data.writers,
        judges=data.judges,
        decision=DECISION_MAJORITY if data.decision == "Majority" else DECISION_UNANIMOUS,
        law_as_of=status.culture.law_as_of if status.culture else "",
        random_seed=data.random_seed,
        budgeted=limited and not own_model_only,
    )


def _target(desk: Desk) -> ModelEndpoint:
    name = desk.run.spec.data.target_model
    if name != BASE:
        return ModelEndpoint(name=name)
    known = desk.run.status.baseline
    return ModelEndpoint(
        name=BASE,
        base_url=desk.engines[Side.BASELINE],
        model=Side.BASELINE.value,
        revision=known.digest if known else "",
    )


def _evaluation_items(desk: Desk) -> list[EvaluationItem]:
    """What the baseline was asked: training must not see it."""
    import pyarrow.parquet as pq

    table = pq.read_table(
        desk.folder.evaluation(Side.BASELINE) / "responses.parquet", columns=["suite", "item_id", "prompt"]
    )
    rows: list[Mapping[str, str]] = table.to_pylist()
    return [EvaluationItem(suite=row["suite"], item_id=row["item_id"], text=row["prompt"]) for row in rows]
