"""The Korean pack, the policy service, the built-in writers and the built-in judges fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from gyeol.api.candidate.v1.candidate_pb2 import Candidate, CandidatesWritten, ChatMessage, MinedPrompt
from gyeol.api.policy.v1.pack_pb2_grpc import add_PackServiceServicer_to_server
from gyeol.api.policy.v1.policy_pb2 import RenderedPolicy, RenderPolicyRequest
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub, add_PolicyServiceServicer_to_server
from gyeol.api.seed.v1.seed_pb2 import (
    SEED_KIND_BENIGN,
    SEED_KIND_HARMFUL,
    SPLIT_TRAIN,
    GenerateSeedsRequest,
    Seed,
)
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceStub, add_SeedServiceServicer_to_server
from gyeol.candidate.convert import material_from_pb
from gyeol.candidate.domain.composition import LONGEST, ORDERS, answer, reply
from gyeol.candidate.domain.fitting import syllables
from gyeol.candidate.domain.overrefusal import overrefusal
from gyeol.candidate.phrase import refusals, turn
from gyeol.chassis.chat import Chat
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.rpc import Door
from gyeol.chassis.store import Memory
from gyeol.judge.bench import Calls, builtin
from gyeol.judge.convert.record import record_from_pb
from gyeol.judge.endpoint import Benches
from gyeol.judge.law import PolicyLaw
from gyeol.judge.lexicon import lexicon, panel_criteria
from gyeol.judge.service import Accepted, Judging, Thresholds
from gyeol.judge.turn import Turns
from gyeol.policy.service import Policies
from gyeol.policy.servicer import PackServicer, PolicyServicer
from gyeol.policy.store.folder import read_cultures
from gyeol.seed.minhash import MinHashNearness
from gyeol.seed.service import Seeding
from gyeol.seed.servicer import SeedServicer
from gyeol.seed.store import PolicyStocks
from support.judging import UNSAFE, run, serving

CULTURES = Path(__file__).parents[3] / "cultures"
DOMAINS = ("I", "II", "III", "IV", "V")


@pytest.fixture(scope="module")
def policies() -> Policies:
    return Policies(read_cultures(CULTURES), SystemClock())


@pytest_asyncio.fixture
async def peers(policies: Policies) -> AsyncIterator[tuple[PolicyServiceStub, SeedServiceStub, PolicyLaw]]:
    doors = (
        Door(add_PolicyServiceServicer_to_server, PolicyServicer(policies)),
        Door(add_PackServiceServicer_to_server, PackServicer(policies)),
    )
    async with serving(*doors) as channel:
        seeding = Seeding(PolicyStocks(channel), MinHashNearness, lowest_depth=0.0)
        async with serving(Door(add_SeedServiceServicer_to_server, SeedServicer(seeding))) as seeds:
            yield PolicyServiceStub(channel), SeedServiceStub(seeds), PolicyLaw(channel)


async def records(
    policy: PolicyServiceStub, seed: SeedServiceStub, kind: int, count: int
) -> AsyncIterator[tuple[Seed, RenderedPolicy]]:
    for domain in DOMAINS:
        request = GenerateSeedsRequest(
            culture="ko-KR", stratum=domain, kind=kind, split=SPLIT_TRAIN, count=count, random_seed=11
        )
        for made in (await seed.GenerateSeeds(request)).seeds:
            yield made, (await policy.RenderPolicy(RenderPolicyRequest(seed=made))).policy


@pytest.mark.parametrize("kind", [SEED_KIND_HARMFUL, SEED_KIND_BENIGN], ids=["harmful", "benign"])
async def test_nearly_every_record_of_the_pack_becomes_a_triplet(
    peers: tuple[PolicyServiceStub, SeedServiceStub, PolicyLaw], kind: int
) -> None:
    policy, seed, law = peers
    benches = Benches(builtin(lexicon()), Chat(), Path("nowhere"), panel_criteria(), reply_format="none", max_tokens=64)
    judging = Judging(benches, law, Turns(Memory()), Thresholds())
    outcomes: Counter[str] = Counter()
    writers: Counter[str] = Counter()
    told = []
    async for made, rendered in records(policy, seed, kind, 16):
        written = _written(made, rendered)
        outcome = await judging.judge(record_from_pb(written), Calls())
        outcomes["accepted" if isinstance(outcome, Accepted) else outcome.reason.value] += 1
        if isinstance(outcome, Accepted):
            writers[outcome.chosen.writer] += 1
        else:
            told.append(f"{made.type}: {outcome.detail}")

    assert outcomes["accepted"] >= 0.95 * outcomes.total(), told
    assert max(writers.values()) - min(writers[writer] for writer in ORDERS) <= 0.2 * outcomes.total()


async def test_composed_answers_are_short_different_and_whole(
    peers: tuple[PolicyServiceStub, SeedServiceStub, PolicyLaw],
) -> None:
    policy, seed, _ = peers
    texts = []
    async for made, rendered in records(policy, seed, SEED_KIND_HARMFUL, 12):
        material = material_from_pb(rendered, dict(made.slots))
        texts += [answer(writer, made.id, material) for writer in ORDERS]

    assert max(syllables(text) for text in texts) <= LONGEST
    assert all(3 <= text.count(". ") + text.count("? ") + 1 <= 6 for text in texts)
    assert len(set(texts)) >= 0.97 * len(texts)


def _written(made: Seed, rendered: RenderedPolicy) -> CandidatesWritten:
    material = material_from_pb(rendered, dict(made.slots))
    benign = made.kind == SEED_KIND_BENIGN
    texts = {
        writer: reply(writer, made.id, material) if benign else answer(writer, made.id, material, turn=turn())
        for writer in ORDERS
    }
    return CandidatesWritten(
        run=run(),
        seed=made,
        policy=rendered,
        mined=MinedPrompt(
            prompt=[ChatMessage(role="user", content=made.text)],
            rejected=overrefusal(made.id, rendered.register, refusals()) if benign else UNSAFE,
        ),
        candidates=[Candidate(writer=writer, model="builtin", text=text) for writer, text in texts.items()],
    )
