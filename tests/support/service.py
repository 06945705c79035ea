"""The policy service behind a real gRPC channel, in the test's own process."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import grpc.aio

from gyeol.api.policy.v1.pack_pb2_grpc import add_PackServiceServicer_to_server
from gyeol.api.policy.v1.policy_pb2_grpc import add_PolicyServiceServicer_to_server
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.rpc import Door, Server, channel
from gyeol.policy.service import Policies
from gyeol.policy.servicer import PackServicer, PolicyServicer
from support.culture import cultures


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Waits until something is so, or raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in another process or library
            await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def served(*doors: Door) -> AsyncIterator[grpc.aio.Channel]:
    """Serves doors on a free port and yields a channel to them."""
    server = Server("127.0.0.1", 0, doors)
    port = await server.start()
    opened = channel(f"127.0.0.1:{port}")
    try:
        yield opened
    finally:
        await opened.close()
        await server.stop()


@contextlib.asynccontextmanager
async def policy_service(packs: Mapping[str, Any] | None = None) -> AsyncIterator[grpc.aio.Channel]:
    """Serves packs, the Korean one by default, and yields a channel to the policy service."""
    policies = Policies(packs or cultures(), SystemClock())
    doors = (
        Door(add_PackServiceServicer_to_server, PackServicer(policies)),
        Door(add_PolicyServiceServicer_to_server, PolicyServicer(policies)),
    )
    async with served(*doors) as opened:
        yield opened
