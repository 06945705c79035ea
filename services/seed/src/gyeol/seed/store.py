"""Molds and probes as the policy service serves them, kept as long as the pack stays the same."""

from __future__ import annotations

import asyncio

import grpc.aio

from gyeol.api.policy.v1.pack_pb2 import GetPackRequest, ListMoldsRequest
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.seed.convert import stock_from_pb
from gyeol.seed.domain.stock import Stock

_DEADLINE_SECONDS = 20


class PolicyStocks:
    """Fetches the molds of a culture once for each state of its pack."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._policy = PackServiceStub(channel)
        self._stocks: dict[str, Stock] = {}
        self._lock = asyncio.Lock()

    async def stock(self, culture: str) -> Stock:
        async with self._lock:
            reply = await self._policy.GetPack(GetPackRequest(culture=culture), timeout=_DEADLINE_SECONDS)
            known = self._stocks.get(reply.pack.name)
            if known is None or known.digest != reply.pack.digest:
                categories = [category.id for domain in reply.pack.domains for category in domain.categories]
                requests = (ListMoldsRequest(culture=reply.pack.name, category=category) for category in categories)
                molds = [await self._policy.ListMolds(request, timeout=_DEADLINE_SECONDS) for request in requests]
                known = stock_from_pb(reply.pack, dict(zip(categories, molds, strict=True)))
                self._stocks[reply.pack.name] = known
            return known
