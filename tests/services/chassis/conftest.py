from collections.abc import AsyncIterator

import pytest_asyncio

from gyeol.chassis.bus import Bus
from gyeol.chassis.settings import ServiceSettings
from support.nats import NatsServer, nats

__all__ = ["nats"]


@pytest_asyncio.fixture
async def bus(nats: NatsServer) -> AsyncIterator[Bus]:
    """A connection of service `seed`, with the streams in place."""
    connected = await Bus.connect(ServiceSettings(nats_url=nats.url), "seed")
    await connected.ensure()
    yield connected
    await connected.close()
