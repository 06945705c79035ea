"""Looks at processes, files and services and says what is there, in the words of `decide`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import grpc.aio
from google.protobuf.json_format import MessageToDict

from gyeol.api.ledger.v1.ledger_pb2 import (
    Account,
    Dataset,
    GetAccountRequest,
    ListArtifactsRequest,
    ListDropsRequest,
    VerifyDatasetRequest,
)
from gyeol.api.policy.v1.pack_pb2 import GetPackRequest
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, SEED_KIND_HARMFUL, SPLIT_TRAIN, GenerateSeedsRequest
from gyeol.chassis.errors import Meaning
from gyeol.chassis.outcomes import meaning_of
from gyeol.local.engine import Engines
from gyeol.local.home import write_atomically
from gyeol.local.made import made
from gyeol.local.order import Desk
from gyeol.local.peers import Peers
from gyeol.local.workshop import Workshop
from gyeol.reconcile.allotment import BENIGN_SUFFIX
from gyeol.reconcile.phase.gather import strata
from gyeol.reconcile.seen import (
    AccountSeen,
    DatasetSeen,
    Job,
    JobSeen,
    JobState,
    PackSeen,
    Seen,
    Side,
    StratumSeen,
)


class Observer:
    """Looks at the world of one run. What cannot change within a session is looked at once."""

    def __init__(self, peers: Peers, workshop: Workshop, engines: Engines) -> None:
        self._peers = peers
        self._workshop = workshop
        self._engines = engines
        self._pack: PackSeen | None = None
        self._capacity: dict[str, int] = {}
        self._dataset: DatasetSeen | None = None
        self._recorded: frozenset[Job] | None = None
        self.account = Account()
        """The books as they were last seen."""

    async def look(self, desk: Desk, *, retry: bool) -> Seen:
        """The world now.

        Args:
          desk: Whose world.
          retry: A person has just started the run (again).
        """
        self._pack = self._pack or await self._look_at_pack(desk)
        jobs = self._jobs(desk)
        if jobs.get(Job.WEIGHTS, _NOTHING).state is JobState.DONE and not self._capacity and self._pack is not None:
            self._capacity = await self._look_at_capacity(desk, self._pack)
        await self._look_at_account(desk)
        return Seen(
            pack=self._pack,
            capacity=self._capacity,
            account=account_seen(self.account),
            reviews_waiting=self.account.awaiting_review,
            review_at=console(desk),
            dataset=await self._look_at_dataset(desk),
            jobs=jobs,
            serving={side: await self._engines.seen(side) for side in Side},
            recorded=await self._look_at_recorded(desk, jobs),
            retry=retry,
            exclusive=True,
        )

    def record(self, job: Job) -> None:
        """Remembers that the ledger knows the result of a job."""
        self._recorded = (self._recorded or frozenset()) | {job}

    async def most_common_failure(self, run_id: str) -> str:
        """What most failed records failed of; empty when the ledger does not say."""
        listed = await self._peers.records.ListDrops(ListDropsRequest(run_id=run_id, page_size=500))
        told = Counter(f"{one.stage}: {one.detail}" for one in listed.failures if one.detail)
        return told.most_common(1)[0][0] if told else ""

    def _jobs(self, desk: Desk) -> Mapping[Job, JobSeen]:
        """What is made counts more than how the process ended."""
        looked = {job: self._running(job) or made(job, desk) or self._workshop.seen(job) for job in Job}
        return {job: one for job, one in looked.items() if one is not None}

    def _running(self, job: Job) -> JobSeen | None:
        one = self._workshop.seen(job)
        return one if one is not None and one.state is JobState.RUNNING else None

    async def _look_at_pack(self, desk: Desk) -> PackSeen:
        pack = (await self._peers.packs.GetPack(GetPackRequest(culture=desk.run.spec.culture.name))).pack
        domains = {domain.number: tuple(category.id for category in domain.categories) for domain in pack.domains}
        return PackSeen(pack.name, pack.digest, pack.law_as_of, domains)

    async def _look_at_capacity(self, desk: Desk, pack: PackSeen) -> dict[str, int]:
        found = {}
        data = desk.run.spec.data
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
        return found

    async def _look_at_account(self, desk: Desk) -> None:
        request = GetAccountRequest(run_id=desk.folder.run_id)
        account = (await self._peers.runs.GetAccount(request)).account
        if account != self.account:
            write_atomically(desk.folder.account, account_json(account))
            self.account = account

    async def _look_at_dataset(self, desk: Desk) -> DatasetSeen | None:
        """Verified once a session: from then on only this hand's own jobs read it, and they verify it again."""
        if self._dataset is None and (desk.folder.dataset / "manifest.json").is_file():
            request = VerifyDatasetRequest(location=str(desk.folder.dataset))
            try:
                self._dataset = dataset_seen((await self._peers.datasets.VerifyDataset(request)).dataset, desk)
            except grpc.aio.AioRpcError as error:
                if meaning_of(error) is not Meaning.CONFLICT:
                    raise
                return DatasetSeen(f"damaged ({error.details()})", 0, 0, str(desk.folder.dataset))
        return self._dataset

    async def _look_at_recorded(self, desk: Desk, jobs: Mapping[Job, JobSeen]) -> frozenset[Job]:
        if self._recorded is None:
            request = ListArtifactsRequest(run_id=desk.folder.run_id)
            known = {one.digest for one in (await self._peers.artifacts.ListArtifacts(request)).artifacts}
            self._recorded = frozenset(job for job, one in jobs.items() if one.digest in known)
        return self._recorded


_NOTHING = JobSeen(JobState.FAILED)


def account_seen(account: Account) -> AccountSeen:
    strata_seen = {
        one.stratum: StratumSeen(one.inputs, one.accepted, one.drops, one.failures, one.pending)
        for one in account.strata
    }
    moves = sum(one.inputs + one.results + one.drops + one.failures for one in account.stages)
    return AccountSeen(strata_seen, moves + account.calls + account.cached_calls, account.tokens, account.money or "0")


def account_json(account: Account) -> dict[str, object]:
    """The books as JSON: every count is written, also when it is zero."""
    value = MessageToDict(account, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return _numbers(value)


def _numbers(value: Mapping[str, object]) -> dict[str, object]:
    """Protobuf's JSON writes 64-bit numbers as text. Money stays text: it is a decimal."""
    return {key: one if key.startswith("money") else _number(one) for key, one in value.items()}


def _number(value: object) -> object:
    if isinstance(value, dict):
        return _numbers(value)
    if isinstance(value, list):
        return [_number(one) for one in value]
    return int(value) if isinstance(value, str) and value.isdigit() else value


def dataset_seen(dataset: Dataset, desk: Desk) -> DatasetSeen:
    return DatasetSeen(dataset.digest, dataset.rows, dataset.benign_rows, str(desk.folder.dataset))


def console(desk: Desk) -> str:
    """Address of the console, empty when it is not up."""
    gateway = desk.roster.entries.get("gateway")
    return f"http://127.0.0.1:{gateway.http_port}" if gateway else ""
