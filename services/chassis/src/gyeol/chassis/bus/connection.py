"""The connection to the broker: opening it, keeping it, publishing over it."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Sequence
from typing import Any, Final

import nats.aio.client
import nats.errors
import nats.js.errors
import stamina
from nats.js.api import ConsumerConfig, StreamConfig

from gyeol.chassis import logs, metrics
from gyeol.chassis.bus import stream
from gyeol.chassis.bus.bucket import Bucket
from gyeol.chassis.bus.option import options
from gyeol.chassis.bus.publication import Publication
from gyeol.chassis.bus.refusal import FAILURES, Refusals
from gyeol.chassis.errors import DeniedError, InvalidError, NotReadyError
from gyeol.chassis.settings import ServiceSettings

_log = logs.get()
_TOO_LONG: Final = 30.0
_ANSWER: Final = 5.0
_AT_ONCE: Final = 64
_USER: Final = re.compile(r"//[^@/,]*@")


class Bus:
    """One connection to NATS for the life of the process. Open it with `connect`."""

    def __init__(
        self, nc: Any, name: str, *, ensure: bool = True, replicas: int = 1, drain_seconds: float = 20.0
    ) -> None:
        self.nc = nc
        self.js: Any = nc.jetstream(timeout=_ANSWER)
        self.name = name
        self.drain_seconds = drain_seconds
        """Seconds that messages in hand may take to finish when the service stops."""
        self.closed = asyncio.Event()
        """Set once the connection is closed for good: the process has to end."""
        self._may_ensure = ensure
        self._replicas = replicas
        self._closing = False
        self._refusals = Refusals(name)
        self._said = ""

    @classmethod
    async def connect(cls, settings: ServiceSettings, name: str = "gyeol", *, seconds: float = _TOO_LONG) -> Bus:
        """Connects; from then on it reconnects for ever.

        Raises:
          InvalidError: A file that a setting names cannot be read.
          DeniedError: The server refuses the user.
          NotReadyError: No server answered within the given seconds.
        """
        where = _USER.sub("//", settings.nats_url)
        bus = cls(
            nats.aio.client.Client(),
            name,
            ensure=settings.nats_ensure,
            replicas=settings.nats_replicas,
            drain_seconds=settings.drain_seconds,
        )
        callbacks = {
            "error_cb": bus._failed,
            "disconnected_cb": bus._disconnected,
            "reconnected_cb": bus._reconnected,
            "closed_cb": bus._closed,
        }
        try:
            async with asyncio.timeout(seconds):
                await bus.nc.connect(**options(settings, name), **callbacks)
        except FAILURES as error:
            if bus._refusals.user:
                raise DeniedError(
                    f"NATS at {where} refuses the user of {name}: correct the NATS_CREDENTIALS setting"
                ) from error
            raise NotReadyError(
                f"no NATS server answered at {where} within {seconds:g} s: start it, or correct the"
                f" NATS_URL setting ({bus._said or type(error).__name__})"
            ) from error
        return bus

    async def ensure(self) -> None:
        """Creates the streams, or updates those that differ. Idempotent.

        Raises:
          InvalidError: A stream exists that cannot be changed into ours.
        """
        if self._may_ensure:
            for config in stream.streams(self._replicas):
                await self._retried(self._ensure_stream, config)

    async def _ensure_stream(self, config: StreamConfig) -> None:
        try:
            await self.js.add_stream(config)
        except nats.js.errors.BadRequestError:
            try:
                await self.js.update_stream(config)
            except nats.js.errors.APIError as error:
                raise InvalidError(
                    f"stream {config.name} cannot be updated: {error.description}; remove the stream that is in the way"
                ) from error

    async def ensure_consumer(self, stream_name: str, config: ConsumerConfig) -> None:
        """Creates a durable consumer, or updates the one that exists. Idempotent."""
        if self._may_ensure:
            subject = f"$JS.API.CONSUMER.CREATE.{stream_name}.{config.name}"
            await self._retried(self.js.add_consumer, stream_name, config, subject=subject)

    async def bucket(self, name: str, max_bytes: int = -1) -> Bucket:
        """Opens a key-value bucket and makes it where there is none."""
        opened = Bucket(self.js, name, max_bytes, self._replicas if self._may_ensure else 0)
        await self._retried(opened.open)
        return opened

    async def publish(self, publication: Publication, *, seconds: float = 60.0) -> bool:
        """Publishes an event and waits until the broker has stored it; retries with the same id.

        Returns:
          False when the broker knew the id already.

        Raises:
          InvalidError: The payload is too large, or no stream stores its subject.
          DeniedError: The NATS user may not publish it.
          NotReadyError: The broker did not store it within the given seconds.
        """
        subject, payload = publication.subject(), publication.payload()
        arguments = (subject, payload, publication.headers(self.name), min(_ANSWER, seconds))
        try:
            ack = await self._store(*arguments)
        except FAILURES as error:
            if self.closed.is_set() or not self._refusals.transient(error, subject):
                raise self._refusals.explained(error, subject) from error
            ack = await self._retried(self._store, *arguments, seconds=seconds, subject=subject)
        return not ack.duplicate

    async def publish_all(self, publications: Sequence[Publication]) -> None:
        """Publishes a few events in their order, many side by side."""
        if len(publications) <= 4:
            for publication in publications:
                await self.publish(publication)
            return
        for start in range(0, len(publications), _AT_ONCE):
            together = publications[start : start + _AT_ONCE]
            try:
                async with asyncio.TaskGroup() as group:
                    for publication in together:
                        group.create_task(self.publish(publication))
            except ExceptionGroup as failed:
                raise failed.exceptions[0] from None

    async def _store(self, subject: str, payload: bytes, headers: dict[str, str], timeout: float) -> Any:
        try:
            return await self.js.publish(
                subject, payload, timeout=timeout, headers=headers, stream=stream.stream_of(subject)
            )
        except nats.js.errors.NoStreamResponseError:
            await self.ensure()  # a broker that lost its store
            raise

    async def _retried(
        self, call: Any, *arguments: Any, seconds: float = _TOO_LONG, subject: str = "$JS.API.STREAM."
    ) -> Any:
        """Calls until the broker answers. One that restarts times out, refuses or has no JetStream for a while."""
        try:
            async for attempt in stamina.retry_context(
                on=lambda error: not self.closed.is_set() and self._refusals.transient(error, subject),
                attempts=None,
                timeout=seconds,
                wait_initial=0.1,
                wait_max=2.0,
                wait_jitter=0.2,
            ):
                with attempt:
                    return await call(*arguments)
        except FAILURES as error:
            raise self._refusals.explained(error, subject) from error

    def denied(self, subject: str) -> DeniedError | None:
        """The error to raise when the server said that this user may not use the subject, or one that begins so."""
        return self._refusals.denied(subject)

    @property
    def connected(self) -> bool:
        return bool(self.nc.is_connected)

    async def flush(self, seconds: float = 5.0) -> None:
        """Waits until the broker has read what was sent; gives up quietly when it cannot."""
        if not self.nc.is_connected:
            return
        try:
            await self.nc.flush(timeout=seconds)
        except FAILURES as error:
            _log.warning("bus_flush_failed", kind=type(error).__name__)

    async def close(self) -> None:
        """Sends what is buffered and closes."""
        self._closing = True
        await self.flush()
        with contextlib.suppress(RuntimeError, *FAILURES):  # what is lost cannot be closed: uvloop says RuntimeError
            await self.nc.close()

    async def _failed(self, error: Exception) -> None:
        metrics.BUS_ERRORS.labels(type(error).__name__).inc()
        if str(error) == self._said:  # twice a second while the broker is away
            return
        self._said = str(error)
        self._refusals.note(self._said)
        _log.warning("bus_error", error=self._said, kind=type(error).__name__)

    async def _disconnected(self) -> None:
        if not self._closing:
            _log.warning("bus_disconnected")

    async def _reconnected(self) -> None:
        self._refusals.forget()
        self._said = ""
        _log.info("bus_reconnected")

    async def _closed(self) -> None:
        if not self._closing:
            _log.error("bus_closed", error=self._said)
            self.closed.set()
