"""Looks at the world of a run: services, jobs, servers, queue."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import grpc.aio

from gyeol.api.ledger.v1.ledger_pb2 import (
    Account,
    GetAccountRequest,
    ListArtifactsRequest,
    ListMetricsRequest,
    VerifyDatasetRequest,
)
from gyeol.api.policy.v1.pack_pb2 import GetPackRequest
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, SEED_KIND_HARMFUL, SPLIT_TRAIN, GenerateSeedsRequest
from gyeol.chassis.errors import Meaning
from gyeol.chassis.outcomes import meaning_of
from gyeol.cluster.border import Border
from gyeol.cluster.cache import Cache
from gyeol.cluster.client import Cluster
from gyeol.cluster.errors import KindMissingError, RefusedError
from gyeol.cluster.identity import Identities, base_url
from gyeol.cluster.kind import INFERENCE_SERVICE, WORKLOAD
from gyeol.cluster.peers import Peers
from gyeol.cluster.ward import Ward, Wards
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.allotment import BENIGN_SUFFIX
from gyeol.reconcile.decide import final
from gyeol.reconcile.fault import Fault
from gyeol.reconcile.manifest import place
from gyeol.reconcile.manifest.name import NameTooLongError, service_name
from gyeol.reconcile.manifest.outcome import condition, moment
from gyeol.reconcile.manifest.site import Store
from gyeol.reconcile.manifest.work import served_name
from gyeol.reconcile.phase.gather import strata
from gyeol.reconcile.seen import (
    AccountSeen,
    DatasetSeen,
    Job,
    JobState,
    PackSeen,
    Quota,
    Seen,
    Serving,
    Side,
    StratumSeen,
)
from gyeol.reconcile.status import Metric

METRICS = (
    "loss",
    "rewards/margins",
    "rewards/accuracies",
    "rewards/chosen",
    "rewards/rejected",
    "learning_rate",
    "grad_norm",
)
"""Curves that the status shows the newest point of."""
_UNKNOWN = (Meaning.NOT_FOUND,)


@dataclass(frozen=True)
class Sight:
    """The world of a run as it was seen."""

    seen: Seen
    ward: Ward
    endpoints: dict[Side, str]
    """Base URL of each model that has an address."""
    metrics: tuple[Metric, ...] = ()


class Observer:
    """Looks; what cannot change is looked at once.

    Args:
      peers: Services.
      cluster: API server.
      cache: Objects that the operator made.
      identities: Asks model servers who they are.
      border: Knows what a run may name.
      store: Where artifacts are.
      console: Address of the console, for messages.
    """

    def __init__(
        self,
        peers: Peers,
        cluster: Cluster,
        cache: Cache,
        identities: Identities,
        border: Border,
        store: Store,
        console: str,
    ) -> None:
        self._peers = peers
        self._cluster = cluster
        self._cache = cache
        self._identities = identities
        self._border = border
        self._store = store
        self._console = console
        self._wards = Wards(cluster, cache)
        self._capacities: dict[tuple[str, str, str, int], dict[str, int]] = {}
        self.sealed: dict[str, DatasetSeen] = {}
        """Verified datasets by run id."""
        self._recorded: dict[str, set[str]] = {}
        self.unservable: dict[tuple[str, Side], str] = {}
        """Why the server of a model could not be made, by run id and side."""

    async def look(self, run: AlignmentRun, run_id: str, now: datetime, *, retry: bool, resumed: bool) -> Sight:
        """The world now. Of a run that has ended, only what is left of it on the cluster."""
        ward = await self._wards.look(run, now)
        jobs = ward.seen()
        serving, since, endpoints = await self._serving(run, run_id)
        if final(run.status):
            return Sight(Seen(jobs=jobs, serving=serving, recorded=frozenset(Job)), ward, endpoints)
        pack, missing = await self._pack(run)
        begun = run.status.culture is not None
        capacity: dict[str, int] = {}
        if pack is not None and Job.WEIGHTS in jobs and jobs[Job.WEIGHTS].state is JobState.DONE:
            capacity = await self._capacity(run, pack)
        account = await self._account(run_id)
        training = Job.TRAIN in jobs and jobs[Job.TRAIN].state is JobState.RUNNING
        seen = Seen(
            pack=pack,
            faults=() if begun else (*missing, *await self._border.faults(run)),
            capacity=capacity,
            account=_account_seen(account),
            reviews_waiting=account.awaiting_review,
            review_at=self._console,
            dataset=await self._dataset(run, run_id),
            jobs=jobs,
            serving=serving,
            serving_since=since,
            unservable={side: said for (key, side), said in self.unservable.items() if key == run_id},
            recorded=await self._known(run_id, {job: one.digest for job, one in jobs.items() if one.digest}),
            quota=await self._quota(run, ward)
            if training
            else Quota.RESERVED
            if run.spec.training.queue
            else Quota.NOT_QUEUED,
            retry=retry,
            resumed=resumed,
        )
        return Sight(seen, ward, endpoints, await self._metrics(run_id) if training else run.status.metrics)

    def recorded(self, run_id: str, digest: str) -> None:
        """Remembers that the ledger knows a result."""
        self._recorded.setdefault(run_id, set()).add(digest)

    def forget(self, run_id: str) -> None:
        """Forgets what was remembered of a run that is gone or has ended."""
        self.sealed.pop(run_id, None)
        self._recorded.pop(run_id, None)
        for side in Side:
            self.unservable.pop((run_id, side), None)

    async def _serving(
        self, run: AlignmentRun, run_id: str
    ) -> tuple[dict[Side, Serving], dict[Side, datetime], dict[Side, str]]:
        serving, since, endpoints = {}, {}, {}
        for side in Side:
            try:
                service = self._cache.get(INFERENCE_SERVICE, run.metadata.namespace, service_name(run.metadata, side))
            except NameTooLongError as error:
                self.unservable[run_id, side], service = str(error), None
            if service is None:
                serving[side] = Serving.ABSENT
                continue
            known = run.status.baseline if side is Side.BASELINE else run.status.candidate
            name = served_name(side.value, known.digest if known else "")
            ready = await self._identities.serves(service, name)
            serving[side] = Serving.READY if ready else Serving.STARTING
            made_at = moment(service["metadata"].get("creationTimestamp"))
            if made_at is not None:
                since[side] = made_at
            if base_url(service):
                endpoints[side] = base_url(service)
        return serving, since, endpoints

    async def _pack(self, run: AlignmentRun) -> tuple[PackSeen | None, tuple[Fault, ...]]:
        """The pack, or what the policy service says in its place."""
        try:
            pack = (await self._peers.packs.GetPack(GetPackRequest(culture=run.spec.culture.name))).pack
        except grpc.aio.AioRpcError as error:
            if meaning_of(error) in _UNKNOWN:
                return None, (Fault("spec.culture.name", error.details() or "no pack describes this culture"),)
            raise
        domains = {domain.number: tuple(one.id for one in domain.categories) for domain in pack.domains}
        return PackSeen(pack.name, pack.digest, pack.law_as_of, domains), ()

    async def _capacity(self, run: AlignmentRun, pack: PackSeen) -> dict[str, int]:
        data = run.spec.data
        key = (pack.name, pack.digest, data.target.strata, data.random_seed)
        if key not in self._capacities:
            found = {}
            for name in strata(data.target.strata, pack):
                for kind, stratum in ((SEED_KIND_HARMFUL, name), (SEED_KIND_BENIGN, name + BENIGN_SUFFIX)):
                    request = GenerateSeedsRequest(
                        culture=pack.name,
                        stratum=name,
                        kind=kind,
                        split=SPLIT_TRAIN,
                        count=1,
                        random_seed=data.random_seed,
                    )
                    found[stratum] = (await self._peers.seeds.GenerateSeeds(request)).capacity
            self._capacities[key] = found
        return self._capacities[key]

    async def _account(self, run_id: str) -> Account:
        return (await self._peers.runs.GetAccount(GetAccountRequest(run_id=run_id))).account

    async def _dataset(self, run: AlignmentRun, run_id: str) -> DatasetSeen | None:
        """Verified once while the operator runs; its jobs verify it again before they use it."""
        if run_id in self.sealed or run.status.dataset is None:
            return self.sealed.get(run_id)
        location = place.destination(self._store, place.dataset(run_id))
        try:
            one = (await self._peers.datasets.VerifyDataset(VerifyDatasetRequest(location=location))).dataset
        except grpc.aio.AioRpcError as error:
            if meaning_of(error) is Meaning.CONFLICT:
                return DatasetSeen(f"damaged ({error.details()})", 0, 0, location)
            if meaning_of(error) in _UNKNOWN:
                return None  # the folder is gone: the ledger writes the same rows again
            raise
        self.sealed[run_id] = DatasetSeen(
            one.digest, one.rows, one.benign_rows, place.address(self._store, place.dataset(run_id))
        )
        return self.sealed[run_id]

    async def _known(self, run_id: str, digests: dict[Job, str]) -> frozenset[Job]:
        known = self._recorded.setdefault(run_id, set())
        if set(digests.values()) - known:
            listed = await self._peers.artifacts.ListArtifacts(ListArtifactsRequest(run_id=run_id))
            known |= {one.digest for one in listed.artifacts}
        return frozenset(job for job, digest in digests.items() if digest in known)

    async def _metrics(self, run_id: str) -> tuple[Metric, ...]:
        points = (await self._peers.artifacts.ListMetrics(ListMetricsRequest(run_id=run_id))).points
        newest = {point.name: point for point in sorted(points, key=lambda one: one.step) if point.name in METRICS}
        return tuple(
            Metric(name=name, value=f"{newest[name].value:.6g}", step=newest[name].step)
            for name in METRICS
            if name in newest
        )

    async def _quota(self, run: AlignmentRun, ward: Ward) -> Quota:
        """Kueue's own Workload says whether machines are reserved; a label on the job alone proves nothing."""
        if not run.spec.training.queue:
            return Quota.NOT_QUEUED
        if ward.training is None:
            return Quota.WAITING
        uid = ward.training["metadata"]["uid"]
        try:
            found, _ = await self._cluster.list(WORKLOAD, run.metadata.namespace, f"kueue.x-k8s.io/job-uid={uid}")
        except (KindMissingError, RefusedError):
            return Quota.WAITING
        admitted = any(condition(one.get("status") or {}, "QuotaReserved") for one in found)
        return Quota.RESERVED if admitted else Quota.WAITING


def _account_seen(account: Account) -> AccountSeen:
    found = {
        one.stratum: StratumSeen(one.inputs, one.accepted, one.drops, one.failures, one.pending)
        for one in account.strata
    }
    moves = sum(one.inputs + one.results + one.drops + one.failures for one in account.stages)
    return AccountSeen(found, moves + account.calls + account.cached_calls, account.tokens, account.money or "0")
