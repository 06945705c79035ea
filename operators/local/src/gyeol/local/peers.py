"""The services as this hand talks to them: one channel each for the whole session."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

import grpc.aio

from gyeol.api.ledger.v1.ledger_pb2_grpc import (
    ArtifactServiceStub,
    DatasetServiceStub,
    RecordServiceStub,
    RunServiceStub,
)
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceStub
from gyeol.chassis.rpc import channel
from gyeol.local.roster import Roster


@dataclass(frozen=True)
class Peers:
    """Stubs by what is asked of them."""

    runs: RunServiceStub
    records: RecordServiceStub
    datasets: DatasetServiceStub
    artifacts: ArtifactServiceStub
    packs: PackServiceStub
    seeds: SeedServiceStub


@contextlib.asynccontextmanager
async def peers(roster: Roster) -> AsyncIterator[Peers]:
    """Opens the channels and closes them at the end."""
    async with contextlib.AsyncExitStack() as stack:

        def opened(name: str) -> grpc.aio.Channel:
            made = channel(roster.address(name))
            stack.push_async_callback(made.close)
            return made

        ledger, policy, seed = opened("ledger"), opened("policy"), opened("seed")
        yield Peers(
            RunServiceStub(ledger),
            RecordServiceStub(ledger),
            DatasetServiceStub(ledger),
            ArtifactServiceStub(ledger),
            PackServiceStub(policy),
            SeedServiceStub(seed),
        )
