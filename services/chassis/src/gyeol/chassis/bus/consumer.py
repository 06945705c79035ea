"""The stage loop: fetch, handle, publish what came out, acknowledge."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import nats.errors
import nats.js.errors
import structlog
from google.protobuf.message import DecodeError, Message

from gyeol.chassis import logs, metrics, telemetry
from gyeol.chassis.bus import stream
from gyeol.chassis.bus.connection import Bus
from gyeol.chassis.bus.dead import failed
from gyeol.chassis.bus.publication import RECORD_ID, RUN_ID, STRATUM, Publication
from gyeol.chassis.bus.subject import subject_of
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import InvalidError, Meaning
from gyeol.chassis.outcomes import TABLE, Ack, DeadLetter, Nak, Table, meaning_of

_log = logs.get()

Handler = Callable[[Any], Awaitable[Sequence[Publication]]]
"""Works on one event and returns what has to be published because of it."""


class Consumer:
    """A durable consumer of one service.

    Everything a handler returns is published before its message is acknowledged, so a crash repeats work and loses none.

    Args:
      bus: The connection.
      durable: Name of the service; its replicas share the durable.
      events: A handler for each event type that the service consumes; all from the same stream.
      slots: Messages in work at once.
    """

    def __init__(
        self,
        bus: Bus,
        durable: str,
        events: Mapping[type[Any], Handler],
        *,
        slots: int = 64,
        clock: Clock | None = None,
        outcomes: Table = TABLE,
        ack_wait: float = stream.ACK_WAIT,
        max_deliver: int = stream.MAX_DELIVER,
        drain_seconds: float = 20.0,
    ) -> None:
        self._handlers = {subject_of(event): (event, handler) for event, handler in events.items()}
        streams = {stream.stream_of(subject) for subject in self._handlers}
        if len(streams) != 1:
            raise InvalidError(f"consumer {durable} needs events of exactly one stream, not of {sorted(streams)}")
        self._bus = bus
        self.durable = durable
        self._stream = streams.pop()
        self._slots = slots
        self._clock = clock or SystemClock()
        self._outcomes = outcomes
        self._ack_wait = ack_wait
        self._max_deliver = max_deliver
        self._drain = drain_seconds
        self._free = slots
        self._freed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._tasks: dict[asyncio.Task[None], Any] = {}
        self._failures: dict[tuple[int, Meaning], int] = {}
        self.last_fetch = self._clock.monotonic()
        """Monotonic seconds at which the broker last answered a fetch."""

    async def ensure(self) -> None:
        """Creates or updates the durable."""
        filters = [f"{subject}.>" if subject == "gyeol.dead" else subject for subject in self._handlers]
        config = stream.consumer(self.durable, filters, ack_wait=self._ack_wait, max_deliver=self._max_deliver)
        await self._bus.ensure_consumer(self._stream, config)

    async def run(self) -> None:
        """Works until `stop` is called, then finishes what is in hand."""
        await self.ensure()
        subscription = await self._bus.js.pull_subscribe_bind(self.durable, stream=self._stream)
        heartbeat = asyncio.create_task(self._heartbeat())
        try:
            while not self._stopping.is_set():
                if self._free <= 0:
                    self._freed.clear()
                    await self._freed.wait()
                    continue
                try:
                    messages = await subscription.fetch(min(self._free, 64), timeout=1)
                except (TimeoutError, nats.errors.Error):
                    self.last_fetch = self._clock.monotonic()
                    continue
                self.last_fetch = self._clock.monotonic()
                self._free -= len(messages)
                for message in messages:
                    task = asyncio.create_task(self._work(message))
                    self._tasks[task] = message
                    task.add_done_callback(self._done)
        finally:
            if self._tasks:
                await asyncio.wait(self._tasks, timeout=self._drain)
            heartbeat.cancel()
            await self._bus.flush()

    def stop(self) -> None:
        """Stops fetching; `run` returns once the messages in hand are done."""
        self._stopping.set()
        self._freed.set()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        self._free += 1
        self._freed.set()

    async def _heartbeat(self) -> None:
        while True:
            await self._clock.sleep(self._ack_wait / 3)
            for message in list(self._tasks.values()):
                with contextlib.suppress(nats.errors.Error):
                    await message.in_progress()

    async def _work(self, message: Any) -> None:
        headers = message.headers or {}
        with (
            structlog.contextvars.bound_contextvars(
                run_id=headers.get(RUN_ID, ""), record_id=headers.get(RECORD_ID, "")
            ),
            telemetry.span(f"{self.durable} {message.subject}", headers),
        ):
            try:
                for publication in await self._handle(message):
                    await self._bus.publish(publication)
                await message.ack()
                metrics.RECORDS.labels(self.durable, "done").inc()
            except Exception as error:
                await self._settle(message, error)

    async def _handle(self, message: Any) -> Sequence[Publication]:
        subject = "gyeol.dead" if message.subject.startswith("gyeol.dead.") else message.subject
        event_type, handler = self._handlers[subject]
        try:
            event: Message = event_type.FromString(message.data)
        except DecodeError as error:
            raise InvalidError(f"payload on {message.subject} is not a {event_type.__name__}: {error}") from None
        with metrics.HANDLER_SECONDS.labels(self.durable).time():
            return await handler(event)

    async def _settle(self, message: Any, error: Exception) -> None:
        meaning = meaning_of(error)
        key = (message.metadata.sequence.stream, meaning)
        failures = self._failures[key] = self._failures.get(key, 0) + 1
        match self._outcomes[meaning].disposition:
            case Ack():
                await message.ack()
            case Nak() as nak if failures < nak.attempts and message.metadata.num_delivered < self._max_deliver:
                _log.warning("record_retried", meaning=meaning.value, error=str(error), failures=failures)
                await message.nak(delay=nak.delay(failures))
            case DeadLetter() | Nak():
                _log.error("record_failed", meaning=meaning.value, error=str(error), failures=failures)
                headers = message.headers or {}
                await self._bus.publish(
                    failed(
                        headers.get(RUN_ID, ""),
                        headers.get(RECORD_ID, ""),
                        stage=self.durable,
                        subject=message.subject,
                        meaning=meaning,
                        detail=str(error),
                        deliveries=message.metadata.num_delivered,
                        payload=message.data,
                        stratum=headers.get(STRATUM, ""),
                        at=self._clock.now(),
                    )
                )
                await message.ack()
                self._failures.pop(key, None)
