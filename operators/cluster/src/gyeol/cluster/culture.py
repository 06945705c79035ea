"""Reconciles one CulturePack: asks the policy service what it serves, checks who signed it, and says whether that can be relied on."""

from __future__ import annotations

import json

import grpc.aio
from pydantic import ValidationError

from gyeol.api.policy.v1.pack_pb2 import GetPackRequest
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import Meaning
from gyeol.chassis.outcomes import meaning_of
from gyeol.cluster.client import Object
from gyeol.cluster.kind import CULTURE_PACK
from gyeol.cluster.peers import Peers
from gyeol.cluster.reporter import Reporter
from gyeol.cluster.signature import Signatures
from gyeol.reconcile.culture import ServedPack, decide_pack
from gyeol.reconcile.pack import CulturePack
from gyeol.reconcile.plan import Event

AGAIN_SECONDS = 3600.0
SOON_SECONDS = 300.0
"""The same where a signature could not be checked."""


class Cultures:
    """Reconciles culture packs."""

    def __init__(self, peers: Peers, signatures: Signatures, reporter: Reporter, clock: Clock) -> None:
        self._peers = peers
        self._signatures = signatures
        self._reporter = reporter
        self._clock = clock

    async def reconcile(self, current: Object) -> tuple[Object, float | None]:
        """One look at a pack; the object afterwards and the seconds until the next look."""
        now = self._clock.now()
        value = {key: current[key] for key in ("apiVersion", "kind", "metadata", "spec", "status") if key in current}
        try:
            pack = CulturePack.model_validate_json(json.dumps(value), by_alias=True, by_name=False)
        except ValidationError as error:
            await self._reporter.tell(current, [Event("Warning", "InvalidSpecification", str(error))], now)
            return current, None
        served = await self._served(pack.spec.culture)
        signature = await self._signatures.look(pack, served.digest) if served else None
        status, events = decide_pack(pack, served, signature, now)
        await self._reporter.tell(current, events, now)
        open_ = signature is not None and signature.state == "Unverified"
        return await self._reporter.store(CULTURE_PACK, current, status), SOON_SECONDS if open_ else AGAIN_SECONDS

    async def _served(self, culture: str) -> ServedPack | None:
        try:
            pack = (await self._peers.packs.GetPack(GetPackRequest(culture=culture))).pack
        except grpc.aio.AioRpcError as error:
            if meaning_of(error) is Meaning.NOT_FOUND:
                return None
            raise
        return ServedPack(pack.digest, pack.version, pack.law_as_of)
