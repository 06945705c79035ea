"""The gRPC door: parse, call the use case, answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any

from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.ledger.v1 import ledger_pb2_grpc as grpc_api
from gyeol.api.lineage.v1 import lineage_pb2, lineage_pb2_grpc
from gyeol.ledger.convert.artifact import (
    artifact_from_pb,
    artifact_to_pb,
    direction_from_pb,
    node_to_pb,
    point_from_pb,
    point_to_pb,
)
from gyeol.ledger.convert.dataset import dataset_to_pb, item_from_pb
from gyeol.ledger.convert.record import (
    access_to_pb,
    drop_filter_from_pb,
    losses_to_pb,
    rejected_text_to_pb,
    review_from_pb,
    stored_triplet_to_pb,
    triplet_filter_from_pb,
)
from gyeol.ledger.convert.run import account_to_pb, amount_from_pb, run_to_pb
from gyeol.ledger.domain.page import page
from gyeol.ledger.service.artifact import Artifacts
from gyeol.ledger.service.budget import Budgets
from gyeol.ledger.service.dataset import Datasets
from gyeol.ledger.service.export import Exports
from gyeol.ledger.service.lineage import Lineage
from gyeol.ledger.service.record import Records
from gyeol.ledger.service.run import Runs


class RunServicer(grpc_api.RunServiceServicer):
    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    async def CreateRun(self, request: pb.CreateRunRequest, context: Any) -> pb.CreateRunResponse:
        run = await self._runs.create(request.id, request.name, request.spec_json)
        return pb.CreateRunResponse(run=run_to_pb(run))

    async def GetRun(self, request: pb.GetRunRequest, context: Any) -> pb.GetRunResponse:
        return pb.GetRunResponse(run=run_to_pb(await self._runs.get(request.id)))

    async def ListRuns(self, request: pb.ListRunsRequest, context: Any) -> pb.ListRunsResponse:
        runs, token = await self._runs.newest(page(request.page_size, request.page_token, datetime.fromisoformat, str))
        return pb.ListRunsResponse(runs=[run_to_pb(run) for run in runs], next_page_token=token)

    async def UpdateRunStatus(self, request: pb.UpdateRunStatusRequest, context: Any) -> pb.UpdateRunStatusResponse:
        await self._runs.set_status(request.id, request.status_json)
        return pb.UpdateRunStatusResponse()

    async def GetAccount(self, request: pb.GetAccountRequest, context: Any) -> pb.GetAccountResponse:
        return pb.GetAccountResponse(account=account_to_pb(await self._runs.statement(request.run_id)))


class RecordServicer(grpc_api.RecordServiceServicer):
    def __init__(self, records: Records) -> None:
        self._records = records

    async def ListTriplets(self, request: pb.ListTripletsRequest, context: Any) -> pb.ListTripletsResponse:
        wanted = triplet_filter_from_pb(request)
        triplets, token, total = await self._records.triplets(
            request.run_id, wanted, page(request.page_size, request.page_token, str, str)
        )
        listed = [stored_triplet_to_pb(triplet) for triplet in triplets]
        return pb.ListTripletsResponse(triplets=listed, next_page_token=token, total=total)

    async def GetTriplet(self, request: pb.GetTripletRequest, context: Any) -> pb.GetTripletResponse:
        stored, history = await self._records.triplet(request.run_id, request.triplet_id)
        return pb.GetTripletResponse(
            triplet=stored_triplet_to_pb(stored), history=[access_to_pb(access) for access in history]
        )

    async def ListDrops(self, request: pb.ListDropsRequest, context: Any) -> pb.ListDropsResponse:
        wanted = drop_filter_from_pb(request)
        part = page(request.page_size, request.page_token, datetime.fromisoformat, str, str, str)
        return losses_to_pb(*await self._records.losses(request.run_id, wanted, part))

    async def ReviewTriplet(self, request: pb.ReviewTripletRequest, context: Any) -> pb.ReviewTripletResponse:
        stored = await self._records.review(
            request.run_id, request.triplet_id, review_from_pb(request.review), request.reviewer, request.comment
        )
        return pb.ReviewTripletResponse(triplet=stored_triplet_to_pb(stored))

    async def RevealRejected(self, request: pb.RevealRejectedRequest, context: Any) -> pb.RevealRejectedResponse:
        return rejected_text_to_pb(await self._records.reveal(request.run_id, request.record_id, request.reader))

    async def ListAccesses(self, request: pb.ListAccessesRequest, context: Any) -> pb.ListAccessesResponse:
        accesses, token = await self._records.accesses(request.run_id, page(request.page_size, request.page_token, int))
        listed = [access_to_pb(access) for access in accesses]
        return pb.ListAccessesResponse(accesses=listed, next_page_token=token)


class BudgetServicer(grpc_api.BudgetServiceServicer):
    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets

    async def ReserveBudget(self, request: pb.ReserveBudgetRequest, context: Any) -> pb.ReserveBudgetResponse:
        amount = amount_from_pb(request.tokens, request.money)
        await self._budgets.reserve(request.run_id, request.reservation_id, amount)
        return pb.ReserveBudgetResponse()

    async def SettleBudget(self, request: pb.SettleBudgetRequest, context: Any) -> pb.SettleBudgetResponse:
        used = amount_from_pb(request.tokens, request.money)
        await self._budgets.settle(request.run_id, request.reservation_id, used)
        return pb.SettleBudgetResponse()


class DatasetServicer(grpc_api.DatasetServiceServicer):
    def __init__(self, datasets: Datasets, exports: Exports) -> None:
        self._datasets = datasets
        self._exports = exports

    async def SealDataset(self, request: pb.SealDatasetRequest, context: Any) -> pb.SealDatasetResponse:
        items = [item_from_pb(item) for item in request.evaluation_items]
        dataset = await self._datasets.seal(request.run_id, request.destination, items)
        return pb.SealDatasetResponse(dataset=dataset_to_pb(dataset))

    async def VerifyDataset(self, request: pb.VerifyDatasetRequest, context: Any) -> pb.VerifyDatasetResponse:
        return pb.VerifyDatasetResponse(dataset=dataset_to_pb(await self._exports.verified(request.location)))

    async def ExportDataset(
        self, request: pb.ExportDatasetRequest, context: Any
    ) -> AsyncIterator[pb.ExportDatasetResponse]:
        as_lines = request.format == pb.EXPORT_FORMAT_JSONL
        async for path, chunk in self._exports.export(request.run_id, request.reader, as_lines=as_lines):
            yield pb.ExportDatasetResponse(path=path, chunk=chunk)


class ArtifactServicer(grpc_api.ArtifactServiceServicer):
    def __init__(self, artifacts: Artifacts) -> None:
        self._artifacts = artifacts

    async def RecordArtifact(self, request: pb.RecordArtifactRequest, context: Any) -> pb.RecordArtifactResponse:
        await self._artifacts.record(artifact_from_pb(request.artifact))
        return pb.RecordArtifactResponse()

    async def ListArtifacts(self, request: pb.ListArtifactsRequest, context: Any) -> pb.ListArtifactsResponse:
        found = await self._artifacts.find(request.run_id, request.kind)
        return pb.ListArtifactsResponse(artifacts=[artifact_to_pb(artifact) for artifact in found])

    async def RecordMetrics(self, request: pb.RecordMetricsRequest, context: Any) -> pb.RecordMetricsResponse:
        await self._artifacts.record_metrics(request.run_id, [point_from_pb(point) for point in request.points])
        return pb.RecordMetricsResponse()

    async def ListMetrics(self, request: pb.ListMetricsRequest, context: Any) -> pb.ListMetricsResponse:
        points = await self._artifacts.metrics(request.run_id, request.name)
        return pb.ListMetricsResponse(points=[point_to_pb(point) for point in points])


class LineageServicer(lineage_pb2_grpc.LineageServiceServicer):
    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage

    async def Trace(self, request: lineage_pb2.TraceRequest, context: Any) -> lineage_pb2.TraceResponse:
        direction = direction_from_pb(request.direction)
        root = await self._lineage.trace(request.node, direction, request.max_depth, request.max_children)
        return lineage_pb2.TraceResponse(root=node_to_pb(root))
