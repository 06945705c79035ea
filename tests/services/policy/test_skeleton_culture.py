"""A second culture runs through policy and seed without a change of code."""

import grpc
import pytest

from gyeol.api.policy.v1 import pack_pb2, policy_pb2
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub
from gyeol.api.seed.v1 import seed_pb2
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceStub, add_SeedServiceServicer_to_server
from gyeol.chassis.rpc import Door
from gyeol.policy.store.folder import read_cultures
from gyeol.seed.minhash import MinHashNearness
from gyeol.seed.service import Seeding
from gyeol.seed.servicer import SeedServicer
from gyeol.seed.store import PolicyStocks
from support.culture import KOREAN
from support.service import policy_service, served


async def test_the_japanese_skeleton_gives_seeds_and_policies_beside_the_korean_pack() -> None:
    async with policy_service(read_cultures(KOREAN.parent)) as policy:
        pack = (await PackServiceStub(policy).GetPack(pack_pb2.GetPackRequest(culture="ja-JP"))).pack
        seeding = Seeding(PolicyStocks(policy), MinHashNearness, lowest_depth=1.0)
        async with served(Door(add_SeedServiceServicer_to_server, SeedServicer(seeding))) as channel:
            request = seed_pb2.GenerateSeedsRequest(
                culture="ja-JP",
                kind=seed_pb2.SEED_KIND_HARMFUL,
                split=seed_pb2.SPLIT_TRAIN,
                count=20,
                random_seed=1,
            )
            reply = await SeedServiceStub(channel).GenerateSeeds(request)
        policies = [
            (await PolicyServiceStub(policy).RenderPolicy(policy_pb2.RenderPolicyRequest(seed=seed))).policy
            for seed in reply.seeds
        ]
    assert pack.skeleton
    assert len(reply.seeds) >= 15
    assert {seed.type for seed in reply.seeds} == {"A.harassment", "G.personal-life"}
    assert all("{" not in text.text and "[" not in text.text for rendered in policies for text in rendered.refuse)
    assert all("日本の法律" in rendered.system_prompt for rendered in policies)
    assert not any("가" <= sign <= "힣" for rendered in policies for sign in rendered.system_prompt)


async def test_citations_nobody_can_read_are_refused_and_never_pass_as_verified() -> None:
    async with policy_service(read_cultures(KOREAN.parent)) as policy:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await PolicyServiceStub(policy).VerifyCitations(
                policy_pb2.VerifyCitationsRequest(text="刑法第231条", culture="ja-JP")
            )
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert "citations in 'ja' cannot be read yet: use a pack in ko" in (caught.value.details() or "")
