"""The gRPC door."""

from __future__ import annotations

from typing import Any

from grpc.aio import ServicerContext
from typing_extensions import override

from gyeol.api.seed.v1.seed_pb2 import GenerateSeedsRequest, GenerateSeedsResponse
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceServicer
from gyeol.seed import convert
from gyeol.seed.service import Seeding


class SeedServicer(SeedServiceServicer):
    """Hands seeds out without publishing them."""

    def __init__(self, seeding: Seeding) -> None:
        self._seeding = seeding

    @override
    async def GenerateSeeds(
        self, request: GenerateSeedsRequest, context: ServicerContext[Any, Any]
    ) -> GenerateSeedsResponse:
        asked = convert.request_from_pb(request)
        batch = await self._seeding.seeds(asked)
        return GenerateSeedsResponse(
            seeds=[convert.seed_to_pb(made.seed, asked.stratum) for made in batch.made if not made.refusal],
            refused=[convert.refused_to_pb(made, asked.stratum) for made in batch.made if made.refusal],
            capacity=batch.capacity,
        )
