"""The seed service on top of a real policy service, with a stub that plays the models of its models file."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.seed.v1 import seed_pb2
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceStub, add_SeedServiceServicer_to_server
from gyeol.chassis.bus import Publication
from gyeol.chassis.chat import Chat
from gyeol.chassis.clock import Clock
from gyeol.chassis.rpc import Door
from gyeol.chassis.store import Memory
from gyeol.seed.minhash import MinHashNearness
from gyeol.seed.panel import ModelPanels
from gyeol.seed.service import Seeding
from gyeol.seed.servicer import SeedServicer
from gyeol.seed.store import PolicyStocks
from support.clock import SteppedClock
from support.service import policy_service, served

FILLER, JUDGE = "filler-model", "plausibility-model"
"""Models that the stub plays."""
MODELS = """
models:
- {{name: filler-a, baseUrl: "{url}", model: filler-model, roles: [filler], temperature: "0.9"}}
- {{name: judge-a, baseUrl: "{url}", model: plausibility-model, roles: [plausibility]}}
"""


@contextlib.asynccontextmanager
async def seeding(
    models: Path = Path("models"), *, cache: Any = None, budget: Any = None, clock: Clock | None = None
) -> AsyncIterator[Seeding]:
    """The seed service's core."""
    chat = Chat(cache=Memory() if cache is None else cache, budget=budget, clock=clock or SteppedClock())
    panels = ModelPanels(chat, models, reply_format="json_schema", max_tokens=1500)
    try:
        async with policy_service() as policy:
            yield Seeding(PolicyStocks(policy), MinHashNearness, panels, lowest_depth=1.0)
    finally:
        await chat.close()


@contextlib.asynccontextmanager
async def seed_service(models: Path = Path("models"), *, cache: Any = None) -> AsyncIterator[SeedServiceStub]:
    async with (
        seeding(models, cache=cache) as core,
        served(Door(add_SeedServiceServicer_to_server, SeedServicer(core))) as channel,
    ):
        yield SeedServiceStub(channel)


def models_file(folder: Path, url: str, *, without: str = "") -> Path:
    """Writes a models file with both roles, or without one of its lines."""
    lines = MODELS.format(url=url).splitlines(keepends=True)
    text = "".join(line for line in lines if not without or without not in line)
    (folder / "seeds.yaml").write_text(text, encoding="utf-8")
    return folder


def asked(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a model was shown."""
    shown: dict[str, Any] = json.loads(body["messages"][1]["content"])
    return shown


def filled(
    change: Callable[[str, str, int], Any] = lambda slot, value, index: f"옆 동네 {value}", *, obedient: bool = True
) -> Callable[..., str]:
    """A filler that puts something before the examples it is shown, or changes them in another way.

    Args:
      change: From slot, example and index of the filling to the value.
      obedient: Whether it takes what it may only choose as it is.
    """

    def value(slot: str, told: Mapping[str, Any], index: int) -> Any:
        shown = told.get("one_of") or told["examples"]
        known = shown[index % len(shown)]
        return known if obedient and "one_of" in told else change(slot, known, index)

    def answer(body: dict[str, Any]) -> str:
        slots = asked(body)["slots"]
        fillings = [{slot: value(slot, told, index) for slot, told in slots.items()} for index in range(8)]
        return json.dumps({"fillings": fillings}, ensure_ascii=False)

    return answer


class Collected:
    """Takes everything that comes out of the seed stage."""

    def __init__(self) -> None:
        self.generated: list[seed_pb2.SeedGenerated] = []
        self.dropped: list[failure_pb2.RecordDropped] = []
        self.completed: list[StageCompleted] = []
        self.failed: list[failure_pb2.RecordFailed] = []

    async def take_generated(self, event: seed_pb2.SeedGenerated) -> list[Publication]:
        self.generated.append(event)
        return []

    async def take_dropped(self, event: failure_pb2.RecordDropped) -> list[Publication]:
        self.dropped.append(event)
        return []

    async def take_completed(self, event: StageCompleted) -> list[Publication]:
        self.completed.append(event)
        return []

    async def take_failed(self, event: failure_pb2.RecordFailed) -> list[Publication]:
        self.failed.append(event)
        return []
