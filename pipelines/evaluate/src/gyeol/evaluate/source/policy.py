"""Puts questions of public files before the panel: each gets a seed and the rendered policy of its category.

A benign question without a category is judged without rubrics: only whether it was answered counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import grpc

from gyeol.api.policy.v1.pack_pb2 import GetPackRequest
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.policy.v1.policy_pb2 import RenderedPolicy, RenderPolicyRequest
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN, SEED_KIND_HARMFUL, Seed
from gyeol.evaluate.data.spelling import alike
from gyeol.evaluate.item import Item

PUBLIC = "public"
"""Stands for the mold of a question that was made from none."""


async def with_policies(items: Sequence[Item], culture: str, policies: grpc.aio.Channel) -> list[Item]:
    """The items with `seed` and `policy` in what is expected, as the response scorer needs them."""
    pack = (await PackServiceStub(policies).GetPack(GetPackRequest(culture=culture))).pack
    types = {
        category.id: {alike(one.name_en): one.id for one in category.types}
        for domain in pack.domains
        for category in domain.categories
    }
    domains = {category.id: domain.number for domain in pack.domains for category in domain.categories}
    renderer = PolicyServiceStub(policies)
    rendered: dict[tuple[str, str], bytes] = {("", ""): RenderedPolicy(register="haeyo").SerializeToString()}
    kinds = {_kind(item, types) for item in items} - rendered.keys()
    for category, kind in sorted(kinds):
        seed = Seed(
            id="evaluation",
            culture=culture,
            category=category,
            type=kind,
            mold_id=PUBLIC,
            text="-",
            kind=SEED_KIND_HARMFUL,
        )
        answer = await renderer.RenderPolicy(RenderPolicyRequest(seed=seed))
        rendered[category, kind] = answer.policy.SerializeToString()
    found = []
    for item in items:
        category, kind = _kind(item, types)
        seed = Seed(
            id=item.id,
            culture=culture,
            pack_digest=pack.digest,
            domain=domains.get(category, ""),
            category=category,
            type=kind,
            mold_id=PUBLIC,
            text=item.messages[-1].content,
            kind=SEED_KIND_HARMFUL if item.expected["kind"] == "harmful" else SEED_KIND_BENIGN,
        )
        needed = {"seed": seed.SerializeToString(), "policy": rendered[category, kind]}
        found.append(replace(item, expected={**item.expected, **needed}))
    return found


def _kind(item: Item, types: dict[str, dict[str, str]]) -> tuple[str, str]:
    """Category and type of the pack; the first type of the category when the file names none that the pack knows."""
    category = item.expected["category"]
    if not category:
        return "", ""
    known = types[category]
    named = alike(item.expected.get("type", ""))
    return category, known.get(named) or next(iter(known.values()))
