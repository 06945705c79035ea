"""The connection to the broker, and publishing."""

from __future__ import annotations

import asyncio
import ssl
from typing import Any

import nats
import nats.errors
import nats.js.errors
import stamina
from nats.js.api import ConsumerConfig, StreamConfig

from gyeol.chassis import logs, metrics
from gyeol.chassis.bus import stream
from gyeol.chassis.bus.publication import Publication
from gyeol.chassis.errors import NotReadyError
from gyeol.chassis.settings import ServiceSettings
from gyeol.chassis.store.bucket import Bucket

_log = logs.get()
_TRANSIENT = (asyncio.TimeoutError, nats.errors.Error, ConnectionError, OSError)


class Bus:
    """One connection to NATS for the life of the process."""

    def __init__(self, nc: Any, name: str, *, ensure: bool = True) -> None:
        self.nc = nc
        self.js: Any = nc.jetstream(timeout=5)
        self.name = name
        self._may_ensure = ensure

    @classmethod
    async def connect(cls, settings: ServiceSettings, name: str = "gyeol") -> Bus:
        """Connects and reconnects for ever.

        Raises:
          NotReadyError: No server answered within 30 seconds.
          DeniedError: The server does not know the user.
        """
        nc = nats.NATS()
        try:
            async with asyncio.timeout(30):
                await nc.connect(**_options(settings, name))
        except (TimeoutError, nats.errors.NoServersError, OSError) as error:
            raise NotReadyError(
                f"no NATS server at {settings.nats_url}: start it or correct the NATS_URL setting"
            ) from error
        return cls(nc, name, ensure=settings.nats_ensure)

    async def ensure(self, replicas: int = 1) -> None:
        """Creates or updates the streams. Idempotent."""
        if not self._may_ensure:
            return
        for config in stream.streams(replicas):
            await self._ensure_stream(config)

    async def _ensure_stream(self, config: StreamConfig) -> None:
        try:
            await self.js.add_stream(config)
        except nats.js.errors.BadRequestError:
            await self.js.update_stream(config)

    async def ensure_consumer(self, stream_name: str, config: ConsumerConfig) -> None:
        """Creates or updates a durable consumer. Idempotent."""
        if self._may_ensure:
            await self.js.add_consumer(stream_name, config)

    async def bucket(self, name: str, max_bytes: int = -1) -> Bucket:
        """Opens a key-value bucket and makes it where there is none."""
        return await Bucket.open(self.js, name, max_bytes, ensure=self._may_ensure)

    async def publish(self, publication: Publication, *, seconds: float = 60.0) -> bool:
        """Publishes an event and waits until the broker has stored it; retries with the same id.

        Returns:
          False when the broker knew the id already.

        Raises:
          InvalidError: The payload is too large, or no stream stores its subject.
          NotReadyError: The broker did not store it within the given seconds.
        """
        subject, payload = publication.subject(), publication.payload()
        headers = publication.headers(self.name)
        try:
            async for attempt in stamina.retry_context(
                on=_transient, attempts=None, timeout=seconds, wait_initial=0.1, wait_max=2.0
            ):
                with attempt:
                    ack = await self.js.publish(subject, payload, headers=headers)
        except nats.js.errors.NoStreamResponseError:
            raise NotReadyError(f"no stream stores {subject}: create the streams first") from None
        except _TRANSIENT as error:
            raise NotReadyError(f"the broker did not store {subject}: {type(error).__name__}") from error
        return not ack.duplicate

    @property
    def connected(self) -> bool:
        return bool(self.nc.is_connected)

    async def flush(self, seconds: float = 5.0) -> None:
        """Sends what is buffered."""
        await self.nc.flush(timeout=seconds)

    async def close(self) -> None:
        """Sends what is buffered and closes."""
        if self.nc.is_connected:
            try:
                await self.flush()
            except (TimeoutError, nats.errors.Error):
                _log.warning("bus_flush_failed")
        await self.nc.close()


def _transient(error: Exception) -> bool:
    return isinstance(error, _TRANSIENT) and not isinstance(
        error, nats.errors.MaxPayloadError | nats.errors.ConnectionClosedError
    )


def _options(settings: ServiceSettings, name: str) -> dict[str, Any]:
    async def failed(error: Exception) -> None:
        metrics.BUS_ERRORS.labels(type(error).__name__).inc()
        _log.warning("bus_error", error=str(error), kind=type(error).__name__)

    async def disconnected() -> None:
        _log.warning("bus_disconnected")

    async def reconnected() -> None:
        _log.info("bus_reconnected")

    options: dict[str, Any] = {
        "servers": [url.strip() for url in settings.nats_url.split(",")],
        "name": f"gyeol-{name}",
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.5,
        "connect_timeout": 5,
        "ping_interval": 20,
        "inbox_prefix": f"_INBOX_{name}",
        "pending_size": 16 << 20,
        "error_cb": failed,
        "disconnected_cb": disconnected,
        "reconnected_cb": reconnected,
    }
    if settings.nats_credentials is not None:
        key = "user_credentials" if settings.nats_credentials.suffix == ".creds" else "nkeys_seed"
        options[key] = str(settings.nats_credentials)
    if settings.nats_ca is not None:
        context = ssl.create_default_context(cafile=str(settings.nats_ca))
        if settings.nats_certificate is not None:
            context.load_cert_chain(settings.nats_certificate, settings.nats_key)
        options["tls"] = context
    return options
