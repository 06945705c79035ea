"""Pulls messages of a durable, and notices when the broker falls silent."""

from __future__ import annotations

import contextlib
from typing import Any, Final

import nats.errors
import nats.js.errors

from gyeol.chassis import logs, metrics
from gyeol.chassis.bus.connection import Bus
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import NotReadyError

_log = logs.get()

MOST: Final = 64
_WAIT: Final = 0.5


class Pull:
    """A pull subscription that renews itself.

    A fetch that brings nothing may mean that there is nothing, or that the subscription is dead: after some quiet the
    consumer itself is asked whether messages wait.

    Args:
      quiet_seconds: Seconds without a message after which the consumer is asked.
    """

    def __init__(self, bus: Bus, stream: str, durable: str, clock: Clock, quiet_seconds: float = 15.0) -> None:
        self._bus = bus
        self._stream = stream
        self._durable = durable
        self._clock = clock
        self._quiet = quiet_seconds
        self._subscription: Any = None
        self._checked = clock.monotonic()
        self.last_heard = clock.monotonic()
        """Monotonic seconds at which the broker last gave messages, or said that there are none."""
        self.left: list[Any] = []
        """Messages that a subscription still held when it was closed."""

    async def fetch(self, most: int) -> list[Any]:
        """Messages, none after half a second. There can be more than asked for: what an earlier fetch left behind.

        Raises:
          NotReadyError: The connection is closed for good, or the durable does not exist.
          DeniedError: The NATS user may not consume.
        """
        try:
            if self._subscription is None:
                self._subscription = await self._bus.js.pull_subscribe_bind(self._durable, stream=self._stream)
            messages: list[Any] = await self._subscription.fetch(min(most, MOST), timeout=_WAIT)
        except TimeoutError:  # the parent of both kinds that nats-py raises
            messages = []
            if (denied := self._bus.denied(f"$JS.API.CONSUMER.MSG.NEXT.{self._stream}.{self._durable}")) is not None:
                raise denied from None
        except nats.errors.ConnectionClosedError as error:
            raise NotReadyError("the connection to NATS is closed") from error
        except (OSError, nats.errors.Error) as error:
            _log.warning("fetch_failed", durable=self._durable, kind=type(error).__name__)
            await self._clock.sleep(_WAIT)
            await self.renew()
            messages = []
        now = self._clock.monotonic()
        if messages:
            self.last_heard = self._checked = now
        elif now - self._checked >= self._quiet:
            self._checked = now
            await self._ask()
        return messages

    async def _ask(self) -> None:
        try:
            info = await self._bus.js.consumer_info(self._stream, self._durable)
        except nats.js.errors.NotFoundError:
            _log.error("consumer_missing", durable=self._durable, stream=self._stream)
            raise NotReadyError(f"durable {self._durable} of stream {self._stream} does not exist") from None
        except (OSError, nats.errors.Error) as error:
            _log.warning("consumer_silent", durable=self._durable, kind=type(error).__name__)
            return
        self.last_heard = self._clock.monotonic()
        room = info.num_ack_pending < (info.config.max_ack_pending or 1000)
        if info.num_pending and room:
            _log.warning("consumer_resubscribed", durable=self._durable, pending=info.num_pending)
            metrics.RESUBSCRIBED.labels(self._durable).inc()
            await self.renew()

    async def renew(self) -> None:
        """Gives the subscription up; the next fetch makes another. What it still held is kept in `left`."""
        subscription, self._subscription = self._subscription, None
        if subscription is None:
            return
        while subscription.pending_msgs:
            with contextlib.suppress(OSError, nats.errors.Error):
                self.left += [message for message in await subscription.fetch(1, timeout=0.05) if message.reply]
                continue
            break
        with contextlib.suppress(OSError, nats.errors.Error):
            await subscription.unsubscribe()
