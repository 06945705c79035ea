"""Makes seeds: the place that puts the service together."""

from __future__ import annotations

from gyeol.api.seed.v1.seed_pb2 import SeedsRequested
from gyeol.api.seed.v1.seed_pb2_grpc import add_SeedServiceServicer_to_server
from gyeol.chassis.bus import Consumer
from gyeol.chassis.chat import Chat, LedgerBudget
from gyeol.chassis.rpc import Door
from gyeol.chassis.run import Doors, Parts, serve
from gyeol.seed.consumer import SeedConsumer
from gyeol.seed.minhash import MinHashNearness
from gyeol.seed.panel import ModelPanels
from gyeol.seed.service import Seeding
from gyeol.seed.servicer import SeedServicer
from gyeol.seed.settings import Settings
from gyeol.seed.store import PolicyStocks


async def compose(settings: Settings, parts: Parts) -> Doors:
    chat = Chat(
        cache=await parts.bus.bucket("gyeol-calls"),
        budget=LedgerBudget(parts.channel(settings.ledger_address)),
        clock=parts.clock,
    )
    parts.stack.push_async_callback(chat.close)
    seeding = Seeding(
        PolicyStocks(parts.channel(settings.policy_address)),
        MinHashNearness,
        ModelPanels(chat, settings.models, reply_format=settings.reply_format, max_tokens=settings.reply_tokens),
        lowest_depth=settings.lowest_depth,
        lowest_plausibility=settings.lowest_plausibility,
    )
    events = {SeedsRequested: SeedConsumer(seeding, parts.clock).seeds_requested}
    return Doors(
        servicers=[Door(add_SeedServiceServicer_to_server, SeedServicer(seeding))],
        workers=[Consumer(parts.bus, durable=parts.name, events=events, slots=settings.slots)],
    )


if __name__ == "__main__":
    serve("seed", Settings, compose)
