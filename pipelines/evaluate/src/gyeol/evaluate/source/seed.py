"""Items from the seed service: held-out molds, so that no training pair shares one."""

from __future__ import annotations

import asyncio

import grpc

from gyeol.api.policy.v1.policy_pb2 import RenderPolicyRequest
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
from gyeol.chassis.chat import Message
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import SeedSource

_KINDS = {"harmful": SEED_KIND_HARMFUL, "benign": SEED_KIND_BENIGN}
_SPLITS = {"train": SPLIT_TRAIN, "held-out": SPLIT_HELD_OUT}


async def seed_items(
    source: SeedSource, culture: str, random_seed: int, seeds: grpc.aio.Channel, policies: grpc.aio.Channel
) -> list[Item]:
    """Items with the rendered policy each response is judged under.

    Raises:
      SuiteError: The pack cannot give that many distinct questions.
    """
    request = GenerateSeedsRequest(
        culture=culture,
        kind=_KINDS[source.seed_kind],
        split=_SPLITS[source.split],
        count=source.items,
        random_seed=random_seed,
    )
    answer = await SeedServiceStub(seeds).GenerateSeeds(request)
    if not answer.seeds:
        raise SuiteError(
            f"culture {culture} has no {source.seed_kind} {source.split} questions; check its molds and probes"
        )
    renderer = PolicyServiceStub(policies)
    rendered = await asyncio.gather(*(renderer.RenderPolicy(RenderPolicyRequest(seed=seed)) for seed in answer.seeds))
    return [_item(seed, one.policy.SerializeToString()) for seed, one in zip(answer.seeds, rendered, strict=True)]


def _item(seed: Seed, policy: bytes) -> Item:
    return Item(
        id=seed.id,
        messages=(Message("user", seed.text),),
        stratum=f"{seed.domain}/{seed.category}",
        cluster=seed.mold_id,
        expected={"seed": seed.SerializeToString(), "policy": policy},
    )
