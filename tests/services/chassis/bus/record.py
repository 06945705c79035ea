"""Records to send through the bus."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.seed.v1.seed_pb2 import Seed, SeedGenerated
from gyeol.chassis.bus import Bus, Consumer, Publication


def seed(number: int, text: str = "이웃과 층간 소음 때문에 다퉜습니다.") -> Publication:
    """A generated seed, as the seed service publishes it."""
    made = Seed(id=f"seed-{number}", text=text, stratum="I/G")
    event = SeedGenerated(run=RunContext(run_id="run-1"), seed=made)
    return Publication(event, "run-1", made.id, stratum=made.stratum)


def completed(event: SeedGenerated) -> Sequence[Publication]:
    """What a stage publishes when it is done with a seed."""
    done = StageCompleted(run_id=event.run.run_id, record_id=event.seed.id, stage="policy", stratum=event.seed.stratum)
    return [Publication(done, event.run.run_id, event.seed.id)]


@contextlib.asynccontextmanager
async def running(*workers: Any) -> AsyncIterator[None]:
    """Runs workers and stops them at the end."""
    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        await asyncio.gather(*tasks)


async def eventually(condition: Callable[[], Any], seconds: float = 10.0) -> None:
    """Waits until the condition holds; it may be a coroutine function."""
    for _ in range(int(seconds / 0.02)):
        held = condition()
        if asyncio.iscoroutine(held):
            held = await held
        if held:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("it never came true")


async def waiting(bus: Bus, stream: str = "GYEOL_WORK") -> int:
    """Messages that a stream holds."""
    return int((await bus.js.stream_info(stream)).state.messages)


async def dead_letters(bus: Bus) -> list[Any]:
    """Every dead letter there is."""
    from gyeol.api.failure.v1.failure_pb2 import RecordFailed

    state = (await bus.js.stream_info("GYEOL_DEAD")).state
    numbers = range(max(1, state.first_seq), state.last_seq + 1)
    messages = [await bus.js.get_msg("GYEOL_DEAD", seq=number) for number in numbers]
    return [(message.subject, RecordFailed.FromString(message.data)) for message in messages if message.data]


def collector(bus: Bus, durable: str = "ledger") -> tuple[Consumer, list[StageCompleted]]:
    """A consumer at the end of the line, and what it received."""
    received: list[StageCompleted] = []

    async def collect(event: StageCompleted) -> Sequence[Publication]:
        received.append(event)
        return []

    return Consumer(bus, durable, {StageCompleted: collect}, quiet_seconds=1, ack_wait=2), received
