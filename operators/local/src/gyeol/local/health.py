"""Whether a process answers, not merely runs."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gyeol.chassis.rpc import channel
from gyeol.local.port import LOOPBACK


async def serves(address: str, *, seconds: float = 1.0) -> bool:
    """True when the gRPC service at `host:port` says that it serves."""
    opened = channel(address)
    try:
        stub: Any = health_pb2_grpc.HealthStub(opened)
        answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=seconds)
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)
    except grpc.aio.AioRpcError:
        return False
    finally:
        await opened.close()


async def greets(port: int, *, seconds: float = 1.0) -> bool:
    """True when a NATS server greets on the port."""
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection(LOOPBACK, port)
            try:
                return (await reader.readline()).startswith(b"INFO ")
            finally:
                writer.close()
    return False
