"""The ledger: runs, records, datasets, artifacts and lineage."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final, Literal

import grpc.aio

from gyeol.api.failure.v1.failure_pb2 import DropReason
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.ledger.v1.ledger_pb2_grpc import (
    ArtifactServiceStub,
    DatasetServiceStub,
    RecordServiceStub,
    RunServiceStub,
)
from gyeol.api.lineage.v1 import lineage_pb2
from gyeol.api.lineage.v1.lineage_pb2_grpc import LineageServiceStub
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, SEED_KIND_HARMFUL
from gyeol.gateway.convert.lineage import node_from_pb
from gyeol.gateway.convert.record import (
    REVIEWS,
    Review,
    access_from_pb,
    losses_from_pb,
    revealed_from_pb,
    triplet_detail_from_pb,
    triplet_from_pb,
)
from gyeol.gateway.convert.run import account_from_pb, artifact_from_pb, curves_from_pb, run_from_pb
from gyeol.gateway.errors import FieldError
from gyeol.gateway.view.lineage import Node
from gyeol.gateway.view.record import AccessPage, LossPage, Revealed, TripletDetail, TripletPage
from gyeol.gateway.view.run import Account, Artifact, MetricPoint, Run, RunPage

_SECONDS: Final = 10
_LONG: Final = 300
_KINDS = {"harmful": SEED_KIND_HARMFUL, "benign": SEED_KIND_BENIGN}


@dataclass(frozen=True, slots=True)
class TripletFilter:
    """Empty fields let everything pass."""

    category: str = ""
    stratum: str = ""
    kind: Literal["", "harmful", "benign"] = ""
    review: Literal["", "pending", "approved", "rejected"] = ""
    disputed: bool = False
    query: str = ""


@dataclass(frozen=True, slots=True)
class LossFilter:
    """Empty fields let everything pass; a reason leaves failures out."""

    reason: str = ""
    stage: str = ""
    stratum: str = ""


class LedgerPeer:
    """Every method raises `AioRpcError` with the meaning that the ledger gave it."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._runs = RunServiceStub(channel)
        self._records = RecordServiceStub(channel)
        self._datasets = DatasetServiceStub(channel)
        self._artifacts = ArtifactServiceStub(channel)
        self._lineage = LineageServiceStub(channel)

    async def runs(self, size: int, page: str) -> RunPage:
        answer = await self._runs.ListRuns(pb.ListRunsRequest(page_size=size, page_token=page), timeout=_SECONDS)
        return RunPage(runs=tuple(map(run_from_pb, answer.runs)), next_page=answer.next_page_token)

    async def run(self, run: str) -> Run:
        return run_from_pb((await self._runs.GetRun(pb.GetRunRequest(id=run), timeout=_SECONDS)).run)

    async def account(self, run: str) -> Account:
        answer = await self._runs.GetAccount(pb.GetAccountRequest(run_id=run), timeout=_SECONDS)
        return account_from_pb(answer.account)

    async def triplets(self, run: str, wanted: TripletFilter, size: int, page: str) -> TripletPage:
        request = pb.ListTripletsRequest(
            run_id=run,
            category=wanted.category,
            stratum=wanted.stratum,
            disputed_only=wanted.disputed,
            query=wanted.query,
            page_size=size,
            page_token=page,
        )
        if wanted.kind:
            request.kind = _KINDS[wanted.kind]
        if wanted.review:
            request.review = REVIEWS[wanted.review]
        answer = await self._records.ListTriplets(request, timeout=_SECONDS)
        return TripletPage(
            triplets=tuple(map(triplet_from_pb, answer.triplets)), total=answer.total, next_page=answer.next_page_token
        )

    async def triplet(self, run: str, triplet: str) -> TripletDetail:
        request = pb.GetTripletRequest(run_id=run, triplet_id=triplet)
        answer = await self._records.GetTriplet(request, timeout=_SECONDS)
        return triplet_detail_from_pb(answer.triplet, answer.history)

    async def review(self, run: str, triplet: str, review: Review | None, reviewer: str, comment: str) -> None:
        request = pb.ReviewTripletRequest(run_id=run, triplet_id=triplet, reviewer=reviewer, comment=comment)
        if review is not None:
            request.review = REVIEWS[review]
        await self._records.ReviewTriplet(request, timeout=_SECONDS)

    async def revealed(self, run: str, record: str, reader: str) -> Revealed:
        request = pb.RevealRejectedRequest(run_id=run, record_id=record, reader=reader)
        return revealed_from_pb(await self._records.RevealRejected(request, timeout=_SECONDS))

    async def accesses(self, run: str, size: int, page: str) -> AccessPage:
        request = pb.ListAccessesRequest(run_id=run, page_size=size, page_token=page)
        answer = await self._records.ListAccesses(request, timeout=_SECONDS)
        return AccessPage(accesses=tuple(map(access_from_pb, answer.accesses)), next_page=answer.next_page_token)

    async def losses(self, run: str, wanted: LossFilter, size: int, page: str) -> LossPage:
        request = pb.ListDropsRequest(
            run_id=run, stage=wanted.stage, stratum=wanted.stratum, page_size=size, page_token=page
        )
        if wanted.reason:
            request.reason = _reason(wanted.reason)
        answer = await self._records.ListDrops(request, timeout=_SECONDS)
        return LossPage(losses=losses_from_pb(answer), next_page=answer.next_page_token)

    async def artifacts(self, run: str, kind: str = "") -> tuple[Artifact, ...]:
        request = pb.ListArtifactsRequest(run_id=run, kind=kind)
        answer = await self._artifacts.ListArtifacts(request, timeout=_SECONDS)
        return tuple(map(artifact_from_pb, answer.artifacts))

    async def curves(self, run: str, name: str = "") -> dict[str, tuple[MetricPoint, ...]]:
        """Training metrics by name."""
        answer = await self._artifacts.ListMetrics(pb.ListMetricsRequest(run_id=run, name=name), timeout=_SECONDS)
        return curves_from_pb(list(answer.points))

    async def trace(self, node: str, direction: Literal["origins", "effects"], depth: int, children: int) -> Node:
        request = lineage_pb2.TraceRequest(
            node=node,
            direction=lineage_pb2.Direction.Value(f"DIRECTION_{direction.upper()}"),
            max_depth=depth,
            max_children=children,
        )
        return node_from_pb((await self._lineage.Trace(request, timeout=30)).root)

    async def verified(self, location: str) -> str:
        """The digest of a dataset once everything in it was recomputed."""
        answer = await self._datasets.VerifyDataset(pb.VerifyDatasetRequest(location=location), timeout=_LONG)
        return answer.dataset.digest

    async def export(
        self, run: str, format_: Literal["parquet", "jsonl"], reader: str
    ) -> AsyncIterator[tuple[str, bytes]]:
        """The files of a sealed dataset in chunks, each with its path."""
        number = pb.ExportFormat.Value(f"EXPORT_FORMAT_{format_.upper()}")
        request = pb.ExportDatasetRequest(run_id=run, format=number, reader=reader)
        async for part in self._datasets.ExportDataset(request, timeout=_LONG):
            yield part.path, part.chunk


def _reason(word: str) -> DropReason.ValueType:
    """Raises: FieldError."""
    known = [name.removeprefix("DROP_REASON_") for name in DropReason.keys()[1:]]
    if word not in known:
        raise FieldError("reason", word, "no such drop reason", f"Use one of {', '.join(known)}.")
    return DropReason.Value(f"DROP_REASON_{word}")
