"""The services as this hand talks to them."""

from __future__ import annotations

from dataclasses import dataclass

from gyeol.api.ledger.v1.ledger_pb2_grpc import ArtifactServiceStub, DatasetServiceStub, RunServiceStub
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceStub
from gyeol.chassis.run import Parts
from gyeol.cluster.settings import Settings


@dataclass(frozen=True)
class Peers:
    """Stubs by what is asked of them."""

    runs: RunServiceStub
    datasets: DatasetServiceStub
    artifacts: ArtifactServiceStub
    packs: PackServiceStub
    seeds: SeedServiceStub


def peers(settings: Settings, parts: Parts) -> Peers:
    """Channels are opened once and closed when the operator stops."""
    ledger = parts.channel(settings.ledger_address)
    return Peers(
        RunServiceStub(ledger),
        DatasetServiceStub(ledger),
        ArtifactServiceStub(ledger),
        PackServiceStub(parts.channel(settings.policy_address)),
        SeedServiceStub(parts.channel(settings.seed_address)),
    )
