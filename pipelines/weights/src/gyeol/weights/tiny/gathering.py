"""Asks the seed and policy services for everything the tiny model is made from."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from itertools import chain
from typing import TypeVar

import grpc.aio

from gyeol.api.policy.v1.pack_pb2 import GetPackRequest, Pack
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.policy.v1.policy_pb2 import RenderedPolicy, RenderPolicyRequest
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub
from gyeol.api.seed.v1.seed_pb2 import (
    SEED_KIND_BENIGN,
    SEED_KIND_HARMFUL,
    SPLIT_HELD_OUT,
    SPLIT_TRAIN,
    GenerateSeedsRequest,
    Seed,
)
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceStub
from gyeol.weights.errors import PeerError
from gyeol.weights.tiny.material import PASSAGES, BenignQuestion, HarmfulQuestion, Material

HARMFUL_PER_TYPE = {SPLIT_TRAIN: 24, SPLIT_HELD_OUT: 12}
BENIGN_PER_TYPE = 100
"""More than any type has: every probe is wanted."""
CALLS_AT_ONCE = 16
SECONDS = 60.0

ResultT = TypeVar("ResultT")


async def material(seed: grpc.aio.Channel, policy: grpc.aio.Channel, culture: str, random_seed: int) -> Material:
    """Gathers the material; the same pack and seed give the same.

    Raises:
      PeerError: A service cannot be reached or refuses.
    """
    try:
        answer = await PackServiceStub(policy).GetPack(GetPackRequest(culture=culture), timeout=SECONDS)
        pack = answer.pack
        harmful, benign = await _seeds(SeedServiceStub(seed), pack, random_seed)
        renderer = PolicyServiceStub(policy)
        rendered = await _limited([_rendered(renderer, one) for one in (*harmful, *benign)])
    except grpc.aio.AioRpcError as error:
        raise PeerError(
            f"the seed or the policy service does not answer ({error.code().name}: {error.details()}); start both and "
            "name them with --seed-address and --policy-address"
        ) from error
    policies = dict(zip((one.id for one in (*harmful, *benign)), rendered, strict=True))
    return Material(
        pack_digest=pack.digest,
        type_names=_type_names(pack),
        harmful=tuple(_harmful(one, policies[one.id]) for one in harmful),
        benign=tuple(
            BenignQuestion(one.text, one.type, tuple(passage.text for passage in policies[one.id].reply))
            for one in benign
        ),
    )


def _type_names(pack: Pack) -> dict[str, str]:
    return {
        kind.id: kind.name_ko for domain in pack.domains for category in domain.categories for kind in category.types
    }


async def _seeds(seeds: SeedServiceStub, pack: Pack, random_seed: int) -> tuple[list[Seed], list[Seed]]:
    """Harmful and benign seeds of every type, of both splits: the base is to know all of them."""
    asked = {
        kind: [
            GenerateSeedsRequest(
                culture=pack.name, stratum=type_id, kind=kind, split=split, count=count, random_seed=random_seed
            )
            for type_id in _type_names(pack)
            for split, count in counts.items()
        ]
        for kind, counts in (
            (SEED_KIND_HARMFUL, HARMFUL_PER_TYPE),
            (SEED_KIND_BENIGN, dict.fromkeys(HARMFUL_PER_TYPE, BENIGN_PER_TYPE)),
        )
    }
    harmful, benign = [
        await _limited([_generated(seeds, request) for request in requests]) for requests in asked.values()
    ]
    return list(chain.from_iterable(harmful)), list(chain.from_iterable(benign))


async def _generated(seeds: SeedServiceStub, request: GenerateSeedsRequest) -> Sequence[Seed]:
    answer = await seeds.GenerateSeeds(request, timeout=SECONDS)
    return answer.seeds


async def _rendered(policies: PolicyServiceStub, seed: Seed) -> RenderedPolicy:
    answer = await policies.RenderPolicy(RenderPolicyRequest(seed=seed), timeout=SECONDS)
    return answer.policy


async def _limited(calls: Sequence[Awaitable[ResultT]]) -> list[ResultT]:
    places = asyncio.Semaphore(CALLS_AT_ONCE)

    async def one(call: Awaitable[ResultT]) -> ResultT:
        async with places:
            return await call

    return await asyncio.gather(*(one(call) for call in calls))


def _harmful(seed: Seed, policy: RenderedPolicy) -> HarmfulQuestion:
    passages = {part: tuple(passage.text for passage in getattr(policy, part)) for part in PASSAGES}
    wrappers = tuple(wrapper for strategy in policy.attacks for wrapper in strategy.wrappers)
    return HarmfulQuestion(seed.text, seed.type, seed.mold_id, passages, wrappers)
