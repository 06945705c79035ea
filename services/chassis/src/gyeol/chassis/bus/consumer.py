"""The stage loop: fetch, handle, publish what came out, acknowledge."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any

import nats.errors
import structlog
from google.protobuf.message import DecodeError

from gyeol.chassis import logs, metrics, telemetry
from gyeol.chassis.bus import stream
from gyeol.chassis.bus.connection import Bus
from gyeol.chassis.bus.delivery import Delivery
from gyeol.chassis.bus.hand import Hand
from gyeol.chassis.bus.publication import Publication
from gyeol.chassis.bus.pull import Pull
from gyeol.chassis.bus.settlement import Settlement
from gyeol.chassis.bus.subject import filter_of, subject_of
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import InvalidError, NotReadyError
from gyeol.chassis.outcomes import TABLE, Table

_log = logs.get()

Handler = Callable[[Any], Awaitable[Sequence[Publication]]]
"""Works on one event and returns what has to be published because of it. It may see the same event twice."""


class Consumer:
    """The durable consumer of one service; its replicas share it.

    Everything that a handler returns is stored by the broker before its message is acknowledged: a crash repeats work
    and loses none.

    Args:
      bus: The connection.
      durable: Name of the service.
      events: A handler for each event type that the service consumes, all of the same stream.
      slots: Messages in work at once.
      outcomes: What becomes of a message whose handler raised an error.
      ack_wait: Seconds after which the broker gives a message without a sign of life to somebody else.
      max_deliver: Deliveries after which the broker gives up.
      drain_seconds: Seconds that messages in hand may take to finish after `stop`; None: as the settings say.
      quiet_seconds: Seconds without a message after which the subscription is doubted.

    Raises:
      InvalidError: The events are of several streams, or of none.
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
        drain_seconds: float | None = None,
        quiet_seconds: float = 15.0,
    ) -> None:
        streams = {stream.stream_of(subject_of(event)) for event in events}
        if len(streams) != 1:
            raise InvalidError(f"consumer {durable} needs events of exactly one stream, not of {sorted(streams)}")
        self._bus = bus
        self.durable = durable
        self._stream = streams.pop()
        self._events = {filter_of(event).removesuffix(".*"): (event, handler) for event, handler in events.items()}
        self._clock = clock or SystemClock()
        self._config = stream.consumer(durable, map(filter_of, events), ack_wait=ack_wait, max_deliver=max_deliver)
        self._settlement = Settlement(bus, durable, self._stream, outcomes, max_deliver, self._clock)
        self._ack_wait = ack_wait
        self._drain_seconds = bus.drain_seconds if drain_seconds is None else drain_seconds
        self._stopping = asyncio.Event()
        self._hand = Hand(slots)
        self._pull = Pull(bus, self._stream, durable, self._clock, quiet_seconds)
        self._seconds = metrics.HANDLER_SECONDS.labels(durable)
        self._done = metrics.RECORDS.labels(durable, "done")
        metrics.IN_WORK.labels(durable, self._stream).set_function(lambda: len(self._hand))
        metrics.FETCH_AGE.labels(durable, self._stream).set_function(lambda: self._clock.monotonic() - self.last_fetch)

    @property
    def last_fetch(self) -> float:
        """Monotonic seconds at which the broker last gave messages, or said that there are none."""
        return self._pull.last_heard

    async def ensure(self) -> None:
        """Creates the durable, or updates the one that exists to these settings."""
        await self._bus.ensure_consumer(self._stream, self._config)

    async def run(self) -> None:
        """Works until `stop` is called, then finishes what is in hand.

        Raises:
          NotReadyError: The connection is closed for good, or the durable is gone and may not be made.
          DeniedError: The NATS user may not consume.
        """
        await self._unless_stopped(self.ensure())
        heartbeat = asyncio.create_task(self._beat())
        try:
            while await self._room():
                left, self._pull.left = self._pull.left, []
                for message in left + await self._fetch(self._hand.free - len(left)):
                    delivery = Delivery.of(message)
                    self._hand.take(delivery, self._work(delivery))
        finally:
            await self._drain()
            heartbeat.cancel()
            await self._bus.flush()

    def stop(self) -> None:
        """Stops fetching; `run` returns once the messages in hand are done."""
        self._stopping.set()
        self._hand.wake()

    async def _room(self) -> bool:
        """Waits for a free slot; false when it is time to stop."""
        if not self._stopping.is_set():
            await self._hand.room()
        return not self._stopping.is_set()

    async def _fetch(self, free: int) -> list[Any]:
        if (
            free <= 0
        ):  # what a closed subscription left behind fills every slot, and the broker refuses to be asked for none
            return []
        try:
            return await self._pull.fetch(free)
        except NotReadyError as error:
            if self._bus.closed.is_set():
                raise
            _log.warning("consumer_restored", durable=self.durable, error=str(error))
            await self._unless_stopped(self._restore())
            return []

    async def _restore(self) -> None:
        """The broker lost its store, or the durable was removed."""
        with contextlib.suppress(NotReadyError):  # the next fetch finds out
            await self._bus.ensure()
            await self.ensure()
        await self._pull.renew()

    async def _unless_stopped(self, work: Coroutine[Any, Any, None]) -> None:
        """Waits for the broker, but not while it is time to go."""
        task, stopped = asyncio.create_task(work), asyncio.create_task(self._stopping.wait())
        await asyncio.wait((task, stopped), return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if task.done():
            task.result()
        task.cancel()

    async def _beat(self) -> None:
        """Tells the broker that what is in hand is worked on."""
        while True:
            await self._clock.sleep(self._ack_wait / 3)
            for delivery in self._hand.deliveries:
                with contextlib.suppress(OSError, nats.errors.Error):
                    await delivery.message.in_progress()

    async def _work(self, delivery: Delivery) -> None:
        message = delivery.message
        owner = {"run_id": delivery.run_id, "record_id": delivery.record_id}
        with (
            structlog.contextvars.bound_contextvars(**owner),
            telemetry.span(f"{self.durable} {message.subject}", message.headers, **owner),
        ):
            try:
                publications = await self._handle(message)
                await self._bus.publish_all([delivery.caused(publication) for publication in publications])
                await message.ack()
                self._settlement.forget(delivery)
                self._done.inc()
            except asyncio.CancelledError:
                await self._settlement.give_back(delivery)
                raise
            except Exception as error:
                await self._settlement.settle(delivery, error)

    async def _handle(self, message: Any) -> Sequence[Publication]:
        subject = message.subject
        event_type, handler = self._events.get(subject) or self._events[subject.rpartition(".")[0]]
        try:
            event = event_type.FromString(message.data)
        except DecodeError:
            raise InvalidError(f"the payload on {subject} is not a {event_type.__name__}") from None
        with self._seconds.time():
            return await handler(event)

    async def _drain(self) -> None:
        await self._pull.renew()
        for message in self._pull.left:
            await self._settlement.give_back(Delivery.of(message))
        if late := await self._hand.empty(self._drain_seconds):
            _log.warning("drain_too_slow", given_back=late)
