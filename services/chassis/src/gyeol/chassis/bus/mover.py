"""Moves messages that were delivered too often out of the work queue, where they would stay for ever."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

import nats.errors
import nats.js.errors

from gyeol.chassis import logs, metrics
from gyeol.chassis.bus import stream
from gyeol.chassis.bus.connection import Bus
from gyeol.chassis.bus.dead import dead_letter
from gyeol.chassis.bus.delivery import Delivery
from gyeol.chassis.bus.pull import Pull
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import GyeolError, Meaning, NotReadyError
from gyeol.chassis.outcomes import told

_log = logs.get()
_AT_ONCE: Final = 32


class Mover:
    """Turns what the broker gave up on into dead letters. One service runs it for all: the one that stores failures.

    It follows the broker's advisories. An advisory can be lost in a crash, so it also looks now and then for messages
    that were delivered, wait for nothing and are still there; one that it finds twice is moved.

    Args:
      sweep_seconds: Seconds between two looks.
    """

    durable = "mover"

    def __init__(self, bus: Bus, clock: Clock | None = None, *, sweep_seconds: float = 60.0) -> None:
        self._bus = bus
        self._clock = clock or SystemClock()
        self._stopping = asyncio.Event()
        self._sweep_seconds = sweep_seconds
        self._swept = self._clock.monotonic()
        self._suspects: set[int] = set()
        self._ensured = False
        self._pull = Pull(bus, stream.ADVISORY, self.durable, self._clock)

    @property
    def last_fetch(self) -> float:
        """Monotonic seconds at which the broker last gave advisories, or said that there are none."""
        return self._pull.last_heard

    async def ensure(self) -> None:
        """Creates or updates the durable."""
        config = stream.consumer(self.durable, [stream.MAX_DELIVERIES])
        await self._bus.ensure_consumer(stream.ADVISORY, config)

    async def run(self) -> None:
        """Works until `stop` is called."""
        while not self._stopping.is_set():
            try:
                if not self._ensured:
                    await self._bus.ensure()
                    await self.ensure()
                    self._ensured = True
                await self._look()
            except (GyeolError, OSError, nats.errors.Error) as error:
                if self._bus.closed.is_set():
                    raise NotReadyError("the connection to NATS is closed") from error
                self._ensured = False
                _log.warning("mover_failed", kind=type(error).__name__, error=told(error))
                await self._clock.sleep(1)
        await self._pull.renew()

    def stop(self) -> None:
        """Stops after the advisory in hand."""
        self._stopping.set()

    async def _look(self) -> None:
        for message in await self._pull.fetch(_AT_ONCE):
            advisory = json.loads(message.data)
            await self._move(advisory["consumer"], advisory["stream_seq"], advisory["deliveries"])
            await message.ack()
        if self._clock.monotonic() - self._swept >= self._sweep_seconds:
            self._swept = self._clock.monotonic()
            await self._sweep()

    async def _sweep(self) -> None:
        found: set[int] = set()
        for info in await self._bus.js.consumers_info(stream.WORK):
            settled = info.ack_floor.stream_seq if info.num_ack_pending else info.delivered.stream_seq
            for subject in info.config.filter_subjects or [info.config.filter_subject]:
                async for message in self._messages(subject, settled):
                    if message.seq in self._suspects:
                        await self._move(info.name, message.seq, info.config.max_deliver)
                    else:
                        found.add(message.seq)
        self._suspects = found

    async def _messages(self, subject: str, last: int) -> Any:
        sequence = 1
        while sequence <= last:
            try:
                message = await self._bus.js.get_msg(stream.WORK, seq=sequence, subject=subject, next=True)
            except nats.js.errors.NotFoundError:
                return
            if message.seq > last:
                return
            yield message
            sequence = message.seq + 1

    async def _move(self, stage: str, sequence: int, deliveries: int) -> None:
        try:
            message: Any = await self._bus.js.get_msg(stream.WORK, seq=sequence)
        except nats.js.errors.NotFoundError:
            return
        delivery = Delivery.of(message)
        letter = dead_letter(
            delivery.run_id,
            delivery.record_id,
            stage=stage,
            subject=message.subject,
            meaning=Meaning.INTERNAL,
            detail=f"{stage} took it {deliveries} times and never answered: look for crashes in its log",
            deliveries=deliveries,
            payload=message.data or b"",
            stratum=delivery.stratum,
            at=self._clock.now(),
        )
        await self._bus.publish(letter)
        await self._bus.js.delete_msg(stream.WORK, sequence)
        metrics.RECORDS.labels(stage, "dead").inc()
        _log.error("record_failed", stage=stage, deliveries=deliveries, run_id=delivery.run_id)
