"""Carries the steps of a run out, one function for each kind of step."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass

from gyeol.api.ledger.v1.ledger_pb2 import (
    Artifact,
    Dataset,
    EvaluationItem,
    RecordArtifactRequest,
    SealDatasetRequest,
)
from gyeol.api.run.v1.run_pb2 import DECISION_MAJORITY, DECISION_UNANIMOUS, ModelEndpoint, RunContext
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, SEED_KIND_HARMFUL, SeedsRequested
from gyeol.chassis.bus import Bus, Publication
from gyeol.cluster.cache import Cache
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.depot import Depot
from gyeol.cluster.kind import CONFIG_MAP, INFERENCE_SERVICE, JOB, KINDS
from gyeol.cluster.observer import Observer, Sight
from gyeol.cluster.peers import Peers
from gyeol.cluster.ward import kind_of
from gyeol.reconcile.allotment import Kind as SeedKind
from gyeol.reconcile.manifest import place
from gyeol.reconcile.manifest.backend import BACKENDS
from gyeol.reconcile.manifest.batch import SECOND_WITNESS, WITNESS, WITNESSED, batch_job, witness_job
from gyeol.reconcile.manifest.inferenceservice import run_service
from gyeol.reconcile.manifest.name import job_name, service_name
from gyeol.reconcile.manifest.work import Ask, served_name, settings
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
from gyeol.reconcile.seen import DatasetSeen, Job, Side
from gyeol.reconcile.status import JobStatus

BASE = "base"
"""What `spec.data.targetModel` calls the base model."""
_ARTIFACT = {Job.WEIGHTS: "model", Job.TRAIN: "model", Job.GATE: "gate-verdict"}


@dataclass(frozen=True)
class Hand:
    """What is needed to carry steps out."""

    cluster: Cluster
    cache: Cache
    peers: Peers
    bus: Bus
    observer: Observer
    depot: Depot

    async def carry_out(self, step: Step, ask: Ask, sight: Sight, records: Mapping[Job, JobStatus]) -> None:
        """Carries one step out. Again and again gives the same as once."""
        match step:
            case RequestSeeds():
                await self._request_seeds(step, ask)
            case SealDataset():
                await self._seal(ask)
            case RunJob(job=job):
                await self.make(job, ask, records[job])
            case CancelJob(job=job):
                await self._cancel(job, ask, records)
            case RecordArtifact(job=job):
                await self._record(job, ask, sight)
            case ServeModel(side=side):
                await self._put(INFERENCE_SERVICE.name, run_service(side, ask))
            case StopServing(side=side):
                name = service_name(ask.run.metadata, side)
                await self._drop(INFERENCE_SERVICE.name, ask.run.metadata.namespace, name)

    async def make(self, job: Job, ask: Ask, record: JobStatus, *, part: str = "") -> None:
        """Makes the object of an attempt, or with `part` one of its witnesses.

        One that is there stays: applied again, it would undo what a queue has done to it.
        """
        number, owner = record.first + record.attempt, ask.run.metadata
        kind = JOB if part else kind_of(ask.run, job)
        name = job_name(owner, job, number, part=part)
        if self.cache.get(kind, owner.namespace, name) is not None:
            return
        if part:
            value = witness_job(job, ask, number, part)
        elif job is Job.TRAIN:
            value = BACKENDS[ask.run.spec.training.backend].job(ask, number)
        else:
            value = batch_job(job, ask, number)
        if not part:
            await self.cluster.apply(CONFIG_MAP, settings(ask))
        made = await self.cluster.create(kind, value)
        if made is not None:
            self.cache.put(kind, made)

    async def hold(self, ask: Ask, training: Object, *, suspended: bool) -> None:
        """Suspends a training job or lets it go on; a queue lets its own jobs go on by itself."""
        backend = BACKENDS[ask.run.spec.training.backend]
        change = backend.suspension(suspended)
        if _part_of(change, training["spec"]) or (ask.run.spec.training.queue and not suspended):
            return
        metadata = training["metadata"]
        made = await self.cluster.patch(KINDS[backend.kind], metadata["namespace"], metadata["name"], {"spec": change})
        self.cache.put(KINDS[backend.kind], made)

    async def _put(self, kind: str, value: Object) -> None:
        self.cache.put(KINDS[kind], await self.cluster.apply(KINDS[kind], value))

    async def _drop(self, kind: str, namespace: str, name: str) -> None:
        known = self.cache.get(KINDS[kind], namespace, name)
        if known is not None:
            await self.cluster.delete(KINDS[kind], known)
            self.cache.drop(KINDS[kind], known)

    async def _cancel(self, job: Job, ask: Ask, records: Mapping[Job, JobStatus]) -> None:
        record = records[job]
        owner, number = ask.run.metadata, record.first + record.attempt
        await self._drop(kind_of(ask.run, job).name, owner.namespace, job_name(owner, job, number))
        if job in WITNESSED:
            for part in (WITNESS, SECOND_WITNESS):
                await self._drop(JOB.name, owner.namespace, job_name(owner, job, number, part=part))

    async def _request_seeds(self, step: RequestSeeds, ask: Ask) -> None:
        record = f"{step.stratum}@{step.offset}+{step.count}"
        again = f"/again-{step.redrive}-{ask.run.status.data.moved_at}" if step.redrive else ""
        event = SeedsRequested(
            run=context(ask),
            stratum=step.stratum,
            kind=SEED_KIND_BENIGN if step.kind is SeedKind.BENIGN else SEED_KIND_HARMFUL,
            offset=step.offset,
            count=step.count,
        )
        await self.bus.publish(Publication(event, ask.run_id, record, id=f"{ask.run_id}/{record}{again}"))

    async def _seal(self, ask: Ask) -> None:
        location = place.destination(ask.site.store, place.dataset(ask.run_id))
        folder = place.made(Job.EVALUATE_BASELINE, ask.run_id, ask.uri)
        responses = await self.depot.read(f"{folder}/responses.parquet")
        request = SealDatasetRequest(
            run_id=ask.run_id,
            destination=location,
            evaluation_items=await asyncio.to_thread(_evaluation_items, responses),
        )
        sealed: Dataset = (await self.peers.datasets.SealDataset(request)).dataset
        address = place.address(ask.site.store, place.dataset(ask.run_id))
        self.observer.sealed[ask.run_id] = DatasetSeen(sealed.digest, sealed.rows, sealed.benign_rows, address)

    async def _record(self, job: Job, ask: Ask, sight: Sight) -> None:
        """Witnesses record what they verify; this is for results whose witness could not reach the ledger."""
        one = sight.seen.jobs[job]
        artifact = Artifact(
            kind=_ARTIFACT.get(job, "evaluation"),
            digest=one.digest,
            run_id=ask.run_id,
            location=one.location,
            inputs=inputs(job, sight),
            manifest_json=json.dumps({"job": job.value, "summary": one.summary}, ensure_ascii=False),
        )
        await self.peers.artifacts.RecordArtifact(RecordArtifactRequest(artifact=artifact))
        self.observer.recorded(ask.run_id, one.digest)


def inputs(job: Job, sight: Sight) -> list[str]:
    """Digests of what a result was made from, for lineage."""
    digests = {name: one.digest for name, one in sight.seen.jobs.items()}
    dataset = sight.seen.dataset.digest if sight.seen.dataset else ""
    baseline, candidate = digests.get(Job.WEIGHTS, ""), digests.get(Job.TRAIN, "")
    made_from: dict[Job, list[str]] = {
        Job.TRAIN: [dataset, baseline],
        Job.EVALUATE_BASELINE: [baseline],
        Job.EVALUATE_CANDIDATE: [candidate],
        Job.GATE: [digests.get(Job.EVALUATE_BASELINE, ""), digests.get(Job.EVALUATE_CANDIDATE, "")],
    }
    return [digest for digest in made_from.get(job, []) if digest]


def context(ask: Ask) -> RunContext:
    """What every stage must know about the run."""
    data, status = ask.run.spec.data, ask.run.status
    limited = data.budget.money is not None or data.budget.tokens is not None
    return RunContext(
        run_id=ask.run_id,
        culture=ask.run.spec.culture.name,
        pack_digest=status.culture.digest if status.culture else "",
        endpoints=data.endpoints_ref.name,
        target=_target(ask),
        writers=data.writers,
        judges=data.judges,
        decision=DECISION_MAJORITY if data.decision == "Majority" else DECISION_UNANIMOUS,
        law_as_of=status.culture.law_as_of if status.culture else "",
        random_seed=data.random_seed,
        budgeted=limited and data.endpoints_ref.name != "builtin",
    )


def _target(ask: Ask) -> ModelEndpoint:
    name = ask.run.spec.data.target_model
    if name != BASE:
        return ModelEndpoint(name=name)
    known = ask.run.status.baseline
    digest = known.digest if known else ""
    model = served_name(Side.BASELINE.value, digest)
    return ModelEndpoint(name=BASE, base_url=ask.endpoints[Side.BASELINE], model=model, revision=digest)


def _evaluation_items(responses: bytes) -> list[EvaluationItem]:
    """What the baseline was asked: training must not see it."""
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(responses), columns=["suite", "item_id", "prompt"])
    rows: list[Mapping[str, str]] = table.to_pylist()
    return [EvaluationItem(suite=row["suite"], item_id=row["item_id"], text=row["prompt"]) for row in rows]


def _part_of(change: Mapping[str, object], value: Mapping[str, object]) -> bool:
    """Whether a value holds already what a change would set; an absent `suspend` is false."""
    for key, one in change.items():
        inner = value.get(key)
        if isinstance(one, Mapping):
            if not _part_of(one, inner if isinstance(inner, Mapping) else {}):
                return False
        elif bool(inner) != bool(one):
            return False
    return True
