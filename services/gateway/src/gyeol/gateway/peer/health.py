"""Whether the services behind the gateway answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gyeol.gateway.view.lineage import Health

_SECONDS: Final = 2


class Peers:
    """Args:
    channels: By service name.
    """

    def __init__(self, channels: Mapping[str, grpc.aio.Channel]) -> None:
        self._stubs: dict[str, Any] = {name: health_pb2_grpc.HealthStub(channel) for name, channel in channels.items()}

    async def health(self) -> Health:
        """What each service says of itself."""
        states = await asyncio.gather(*(self.state(name) for name in self._stubs))
        services = dict(zip(self._stubs, states, strict=True))
        return Health(status="ok" if all(state == "serving" for state in states) else "degraded", services=services)

    async def state(self, name: str) -> str:
        """`serving`, `not-serving` or `away`."""
        try:
            answer = await self._stubs[name].Check(health_pb2.HealthCheckRequest(), timeout=_SECONDS)
        except grpc.aio.AioRpcError:
            return "away"
        return "serving" if answer.status == health_pb2.HealthCheckResponse.SERVING else "not-serving"
