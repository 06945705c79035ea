"""Reads what a stage published."""

from __future__ import annotations

import asyncio
from typing import Any

from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.chassis.bus import Bus, subject_of


async def read(bus: Bus, event: type[Any], count: int, seconds: float = 20.0) -> list[Any]:
    """Waits for so many events of a type and takes them off the stream."""
    subject = subject_of(event)
    subscription = await bus.js.pull_subscribe(
        f"{subject}.>" if event is RecordFailed else subject, durable=f"test-{event.__name__}"
    )
    found: list[Any] = []
    async with asyncio.timeout(seconds):
        while len(found) < count:
            try:
                messages = await subscription.fetch(count - len(found), timeout=0.5)
            except TimeoutError:
                continue
            for message in messages:
                found.append(event.FromString(message.data))
                await message.ack()
    return found
