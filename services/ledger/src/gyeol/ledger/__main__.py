"""The ledger: the place that puts it together, and its commands.

python -m gyeol.ledger               serve
python -m gyeol.ledger verify DIR    recompute every hash of a sealed dataset
"""

from __future__ import annotations

import sys
from typing import Any

from gyeol.api.failure.v1.failure_pb2 import RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1 import ledger_pb2_grpc as api
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.lineage.v1.lineage_pb2_grpc import add_LineageServiceServicer_to_server
from gyeol.chassis.bus import Consumer, Handler, Mover
from gyeol.chassis.clock import Clock
from gyeol.chassis.rpc import Door
from gyeol.chassis.run import Doors, Parts, serve
from gyeol.ledger import servicer
from gyeol.ledger.completion import Completing
from gyeol.ledger.consumer import LedgerConsumer
from gyeol.ledger.convert.dataset import row_from_member, texts_from_member
from gyeol.ledger.service.artifact import Artifacts
from gyeol.ledger.service.budget import Budgets
from gyeol.ledger.service.dataset import Datasets, Format
from gyeol.ledger.service.export import Exports
from gyeol.ledger.service.journal import Journal
from gyeol.ledger.service.lineage import Lineage
from gyeol.ledger.service.record import Records
from gyeol.ledger.service.run import Runs
from gyeol.ledger.settings import Settings
from gyeol.ledger.store.archive import archive
from gyeol.ledger.store.artifact import SqlArtifacts
from gyeol.ledger.store.budget import SqlBudgets
from gyeol.ledger.store.database import Database
from gyeol.ledger.store.dataset import SqlDatasets
from gyeol.ledger.store.journal import SqlBooks
from gyeol.ledger.store.lineage import SqlGraph
from gyeol.ledger.store.migration import migrate
from gyeol.ledger.store.overlap import overlapping
from gyeol.ledger.store.press import pressed, unpressed
from gyeol.ledger.store.record import SqlRecords
from gyeol.ledger.store.run import SqlRuns


async def compose(settings: Settings, parts: Parts) -> Doors:
    database = Database(
        settings.database_url,
        max_megabytes=settings.max_megabytes,
        durable=settings.durable,
        busy_seconds=settings.busy_seconds,
    )
    parts.stack.push_async_callback(database.close)
    await migrate(database)
    doors = LedgerConsumer(Journal(SqlBooks(database)))
    work: dict[type[Any], Handler] = {
        StageCompleted: doors.stage_completed,
        TripletAccepted: doors.triplet_accepted,
        RecordDropped: doors.record_dropped,
    }
    return Doors(
        servicers=servicers(database, parts.clock),
        workers=[
            Consumer(parts.bus, parts.name, work, slots=settings.slots),
            Consumer(parts.bus, parts.name, {RecordFailed: doors.record_failed}, slots=settings.slots),
            Mover(parts.bus),
        ],
    )


def servicers(database: Database, clock: Clock) -> list[Door]:
    """Everything the ledger answers over gRPC, on one database."""
    runs = Runs(SqlRuns(database), clock)
    sealed = SqlDatasets(database)
    form = Format(row=row_from_member, texts=texts_from_member, pressed=pressed, overlapping=overlapping)
    datasets = Datasets(sealed, runs, archive, form, clock)
    exports = Exports(sealed, archive, unpressed, clock)
    records = Records(SqlRecords(database), clock)
    artifacts = Artifacts(SqlArtifacts(database), clock)
    return [
        Door(api.add_RunServiceServicer_to_server, Completing(servicer.RunServicer(runs))),
        Door(api.add_RecordServiceServicer_to_server, Completing(servicer.RecordServicer(records))),
        Door(
            api.add_BudgetServiceServicer_to_server,
            Completing(servicer.BudgetServicer(Budgets(SqlBudgets(database)))),
        ),
        Door(api.add_DatasetServiceServicer_to_server, Completing(servicer.DatasetServicer(datasets, exports))),
        Door(api.add_ArtifactServiceServicer_to_server, Completing(servicer.ArtifactServicer(artifacts))),
        Door(add_LineageServiceServicer_to_server, Completing(servicer.LineageServicer(Lineage(SqlGraph(database))))),
    ]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        from gyeol.ledger.command import app

        app()
    serve("ledger", Settings, compose)
