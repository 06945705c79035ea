"""Serves the culture packs: the place that puts the service together."""

from __future__ import annotations

import asyncio

from gyeol.api.policy.v1.pack_pb2_grpc import add_PackServiceServicer_to_server
from gyeol.api.policy.v1.policy_pb2_grpc import add_PolicyServiceServicer_to_server
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated
from gyeol.chassis import logs
from gyeol.chassis.bus import Consumer
from gyeol.chassis.rpc import Door
from gyeol.chassis.run import Doors, Parts, serve
from gyeol.policy.consumer import PolicyConsumer
from gyeol.policy.service import Policies
from gyeol.policy.servicer import PackServicer, PolicyServicer
from gyeol.policy.settings import Settings, cultures_folder
from gyeol.policy.store.folder import read_cultures

_log = logs.get()


async def compose(settings: Settings, parts: Parts) -> Doors:
    cultures = await asyncio.to_thread(read_cultures, cultures_folder(settings.cultures))
    for name, (pack, laws) in cultures.items():
        _log.info("pack_read", culture=name, digest=pack.digest, laws=len(laws))
    policies = Policies(cultures, parts.clock)
    return Doors(
        servicers=[
            Door(add_PackServiceServicer_to_server, PackServicer(policies)),
            Door(add_PolicyServiceServicer_to_server, PolicyServicer(policies)),
        ],
        workers=[
            Consumer(
                parts.bus,
                durable=parts.name,
                events={SeedGenerated: PolicyConsumer(policies).seed_generated},
                slots=settings.slots,
            )
        ],
    )


if __name__ == "__main__":
    serve("policy", Settings, compose)
