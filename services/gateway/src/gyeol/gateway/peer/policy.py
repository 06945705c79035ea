"""The policy service: culture packs and the law."""

from __future__ import annotations

from typing import Final

import grpc.aio

from gyeol.api.policy.v1 import pack_pb2, policy_pb2
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub
from gyeol.gateway.convert.lineage import law_report_from_pb, pack_from_pb
from gyeol.gateway.view.lineage import LawReport, Pack

_SECONDS: Final = 10


class PolicyPeer:
    """Every method raises `AioRpcError` with the meaning that the policy service gave it."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._packs = PackServiceStub(channel)
        self._policies = PolicyServiceStub(channel)

    async def pack(self, culture: str) -> Pack:
        answer = await self._packs.GetPack(pack_pb2.GetPackRequest(culture=culture), timeout=_SECONDS)
        return pack_from_pb(answer.pack)

    async def check(self, text: str, on: str, culture: str) -> LawReport:
        request = policy_pb2.VerifyCitationsRequest(text=text, on=on, culture=culture)
        return law_report_from_pb(await self._policies.VerifyCitations(request, timeout=_SECONDS))
