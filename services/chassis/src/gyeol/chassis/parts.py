"""What a service is put together from, and what it offers once it is."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import grpc.aio

from gyeol.chassis.bus import Bus
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import InternalError
from gyeol.chassis.rpc import Door, channel
from gyeol.chassis.rpc.credential import channel_credentials
from gyeol.chassis.settings import ServiceSettings


class Worker(Protocol):
    """Something that works until it is told to stop: a consumer, a mover, an HTTP server."""

    async def run(self) -> None:
        """Returns after `stop`; an error ends the service."""
        ...

    def stop(self) -> None: ...


@dataclass
class Parts:
    name: str
    """The service's one word."""
    settings: ServiceSettings
    clock: Clock
    stopping: asyncio.Event
    """Set when the service stops: streams end, loops return."""
    stack: contextlib.AsyncExitStack
    """Enter here what has to be closed when the service stops."""
    broker: Bus | None = None
    """The connection to the broker; None for a service that needs none."""
    _channels: dict[str, grpc.aio.Channel] = field(default_factory=dict)

    @property
    def bus(self) -> Bus:
        """The connection to the broker.

        Raises:
          InternalError: The service was started without one.
        """
        if self.broker is None:
            raise InternalError(f"{self.name} is served without a broker: leave out broker=False")
        return self.broker

    def channel(self, address: str) -> grpc.aio.Channel:
        """The channel to a peer: one for each address, closed when the service stops."""
        if address not in self._channels:
            opened = channel(address, channel_credentials(self.settings))
            self.stack.push_async_callback(opened.close)
            self._channels[address] = opened
        return self._channels[address]


@dataclass
class Doors:
    servicers: Sequence[Door] = ()
    """gRPC services."""
    workers: Sequence[Worker] = ()
    """What runs beside them."""
