"""An evaluation among its peers: the real policy, seed and judge services on free ports, a stub for the model."""

from __future__ import annotations

import contextlib
import datetime as dt
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from gyeol.api.judge.v1.judge_pb2_grpc import add_JudgeServiceServicer_to_server
from gyeol.api.policy.v1.pack_pb2_grpc import add_PackServiceServicer_to_server
from gyeol.api.policy.v1.policy_pb2_grpc import add_PolicyServiceServicer_to_server
from gyeol.api.seed.v1.seed_pb2_grpc import add_SeedServiceServicer_to_server
from gyeol.chassis.chat import Chat, Endpoint
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.rpc import Door, Server, channel
from gyeol.chassis.store import Memory
from gyeol.evaluate.condition import Conditions
from gyeol.evaluate.job import Addresses, evaluate
from gyeol.evaluate.suite import Suite
from gyeol.evaluate.summary import Summary
from gyeol.judge.bench import builtin
from gyeol.judge.endpoint import Benches
from gyeol.judge.law import PolicyLaw
from gyeol.judge.lexicon import criteria, lexicon, panel_criteria
from gyeol.judge.service import Judging, Thresholds
from gyeol.judge.servicer import JudgeServicer
from gyeol.judge.turn import Turns
from gyeol.policy.service import Policies
from gyeol.policy.servicer import PackServicer, PolicyServicer
from gyeol.seed.minhash import MinHashNearness
from gyeol.seed.service import Seeding
from gyeol.seed.servicer import SeedServicer
from gyeol.seed.store import PolicyStocks
from support.culture import cultures

JUDGES = ["safety", "grounding", "register"]
NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


@contextlib.asynccontextmanager
async def peers() -> AsyncIterator[Addresses]:
    """Starts the three services."""
    async with contextlib.AsyncExitStack() as stack:
        clock = SystemClock()
        policies = Policies(cultures(), clock)
        doors = [
            Door(add_PolicyServiceServicer_to_server, PolicyServicer(policies)),
            Door(add_PackServiceServicer_to_server, PackServicer(policies)),
        ]
        policy = await _served(stack, doors)
        to_policy = channel(policy)
        stack.push_async_callback(to_policy.close)
        words = lexicon()
        benches = Benches(builtin(words), Chat(), Path("nowhere"), panel_criteria(), reply_format="none", max_tokens=64)
        judging = Judging(benches, PolicyLaw(to_policy), Turns(Memory()), Thresholds())
        judge = JudgeServicer(judging, words.wordings, criteria(), clock)
        seeding = SeedServicer(Seeding(PolicyStocks(to_policy), MinHashNearness, lowest_depth=0.0))
        yield Addresses(
            seed=await _served(stack, [Door(add_SeedServiceServicer_to_server, seeding)]),
            policy=policy,
            judge=await _served(stack, [Door(add_JudgeServiceServicer_to_server, judge)]),
        )


async def _served(stack: contextlib.AsyncExitStack, doors: list[Door]) -> str:
    server = Server("127.0.0.1", 0, doors, drain_seconds=0)
    port = await server.start()
    stack.push_async_callback(server.stop)
    return f"127.0.0.1:{port}"


async def evaluated(
    addresses: Addresses, output: Path, suites: list[Suite], url: str = "", model: str = "m", **changes: Any
) -> dict[tuple[str, str], Summary]:
    """Runs one evaluation and gives its summary by suite and metric."""
    settings: dict[str, Any] = {
        "suites": suites,
        "culture": "ko-KR",
        "endpoints": "builtin",
        "judges": JUDGES,
        "law_as_of": "2026-11-30",
        "random_seed": 7,
        "dataset": None,
        "endpoint": Endpoint(name=model, base_url=url, model=model, concurrency=8) if url else None,
    }
    found = await evaluate(Conditions(**(settings | changes)), addresses, output, NOW, lambda _: None)
    return {(one.suite, one.metric): one for one in found}
