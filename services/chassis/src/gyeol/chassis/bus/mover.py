"""Moves messages that were delivered too often out of the work queue, where they would stay for ever."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import nats.errors
import nats.js.errors

from gyeol.chassis import logs, metrics
from gyeol.chassis.bus import stream
from gyeol.chassis.bus.connection import Bus
from gyeol.chassis.bus.dead import failed
from gyeol.chassis.bus.publication import RECORD_ID, RUN_ID, STRATUM
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import Meaning

_log = logs.get()


class Mover:
    """Listens to the broker's advisories. One service runs it for all: the one that stores failures."""

    durable = "mover"

    def __init__(self, bus: Bus, clock: Clock | None = None) -> None:
        self._bus = bus
        self._clock = clock or SystemClock()
        self._stopping = asyncio.Event()
        self.last_fetch = self._clock.monotonic()

    async def ensure(self) -> None:
        config = stream.consumer(self.durable, [f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{stream.WORK}.*"])
        await self._bus.ensure_consumer(stream.ADVISORY, config)

    async def run(self) -> None:
        """Works until `stop` is called."""
        await self.ensure()
        subscription = await self._bus.js.pull_subscribe_bind(self.durable, stream=stream.ADVISORY)
        while not self._stopping.is_set():
            try:
                messages = await subscription.fetch(32, timeout=1)
            except (TimeoutError, nats.errors.Error):
                self.last_fetch = self._clock.monotonic()
                continue
            self.last_fetch = self._clock.monotonic()
            for message in messages:
                advisory = json.loads(message.data)
                await self.move(advisory["consumer"], advisory["stream_seq"], advisory["deliveries"])
                await message.ack()

    def stop(self) -> None:
        self._stopping.set()

    async def move(self, stage: str, sequence: int, deliveries: int) -> None:
        """Publishes the message's dead letter, then deletes the message."""
        try:
            message: Any = await self._bus.js.get_msg(stream.WORK, seq=sequence)
        except nats.js.errors.NotFoundError:
            return
        headers = message.headers or {}
        await self._bus.publish(
            failed(
                headers.get(RUN_ID, ""),
                headers.get(RECORD_ID, ""),
                stage=stage,
                subject=message.subject,
                meaning=Meaning.INTERNAL,
                detail=f"delivered {deliveries} times without an answer",
                deliveries=deliveries,
                payload=message.data or b"",
                stratum=headers.get(STRATUM, ""),
                at=self._clock.now(),
            )
        )
        await self._bus.js.delete_msg(stream.WORK, sequence)
        metrics.RECORDS.labels(stage, "dead").inc()
        _log.error("record_failed", stage=stage, deliveries=deliveries, run_id=headers.get(RUN_ID, ""))
