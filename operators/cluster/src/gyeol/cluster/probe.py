"""Asks every service of an installation whether it is there: what `helm test` runs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import aiohttp
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gyeol.chassis.rpc import channel

SECONDS = 10.0
"""How long one answer may take."""


async def answers(services: Mapping[str, str], pages: Mapping[str, str]) -> dict[str, str]:
    """What each answers: empty when it is well, otherwise what is wrong.

    Args:
      services: gRPC address by name.
      pages: HTTP address by name; well when it answers 200.
    """
    asked = {name: _health(address) for name, address in services.items()}
    asked |= {name: _page(url) for name, url in pages.items()}
    return dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))


async def _health(address: str) -> str:
    async with channel(address) as opened:
        try:
            request = health_pb2.HealthCheckRequest()
            stub: Any = health_pb2_grpc.HealthStub(opened)
            answer = await stub.Check(request, timeout=SECONDS, wait_for_ready=True)
        except grpc.aio.AioRpcError as error:
            return f"{address} answers {error.code().name}: look at the service's log"
    word = health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)
    return "" if word == "SERVING" else f"{address} says {word}: look at the service's log, first for the broker"


async def _page(url: str) -> str:
    try:
        limit = aiohttp.ClientTimeout(total=SECONDS)
        async with aiohttp.ClientSession(timeout=limit) as http, http.get(url) as answer:
            return "" if answer.status == 200 else f"{url} answers {answer.status}"
    except (aiohttp.ClientError, TimeoutError) as error:
        return f"{url} cannot be reached ({type(error).__name__})"
