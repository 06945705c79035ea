"""A candidate stage: a real judge service behind it, and a stub that plays the target and the writer models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.api.candidate.v1.candidate_pb2 import WriteCandidatesRequest
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceServicer, add_JudgeServiceServicer_to_server
from gyeol.api.run.v1.run_pb2 import ModelEndpoint
from gyeol.candidate.desk import Desk
from gyeol.candidate.judge import JudgePanels
from gyeol.candidate.mining import Bar
from gyeol.candidate.model import Lines
from gyeol.candidate.phrase import refusals, turn
from gyeol.candidate.service import Writing
from gyeol.candidate.writer import Desks
from gyeol.chassis.chat import Chat
from gyeol.chassis.rpc import Door
from gyeol.chassis.store import Memory
from gyeol.judge.bench import builtin
from gyeol.judge.endpoint import Benches
from gyeol.judge.law import PolicyLaw
from gyeol.judge.lexicon import criteria, lexicon, panel_criteria
from gyeol.judge.service import Judging, Thresholds
from gyeol.judge.servicer import JudgeServicer
from gyeol.judge.turn import Turns
from support.clock import SteppedClock
from support.judging import LawBook, benign_policy, law_door, policy, run, serving
from support.openai_stub import OpenAIStub, openai_stub
from support.record import seed

MODELS = """
models:
- {{name: writer-a, baseUrl: "{url}", model: model-a, price: {{inputPerMillion: "1", outputPerMillion: "2", currency: USD}}}}
- {{name: writer-b, baseUrl: "{url}", model: model-b}}
- {{name: named-target, baseUrl: "{url}", model: target}}
- {{name: attacker, baseUrl: "{url}", model: attacker}}
"""


@dataclass
class Stage:
    """The parts of a candidate stage, and the stub that plays all its models."""

    stub: OpenAIStub
    desk: Desk

    def record(self, *, benign: bool = False, number: int = 1, **changes: Any) -> WriteCandidatesRequest:
        target = ModelEndpoint(name="base", base_url=self.stub.url, model="target", revision="r1")
        settings = {"target": target, "endpoints": "models"} | changes
        return WriteCandidatesRequest(
            run=run(**settings), seed=seed(number, benign=benign), policy=benign_policy() if benign else policy()
        )


@asynccontextmanager
async def staged(
    folder: Path,
    *,
    bar: Bar | None = None,
    attacker: str = "",
    judge: JudgeServiceServicer | None = None,
    cache: Any = None,
    budget: Any = None,
) -> AsyncIterator[Stage]:
    async with AsyncExitStack() as stack:
        stub = await stack.enter_async_context(openai_stub())
        (folder / "models.yaml").write_text(MODELS.format(url=stub.url), encoding="utf-8")
        clock = SteppedClock()
        chat = Chat(cache=Memory() if cache is None else cache, budget=budget, clock=clock)
        stack.push_async_callback(chat.close)
        law = await stack.enter_async_context(serving(law_door(LawBook())))
        benches = Benches(builtin(lexicon()), chat, folder, panel_criteria(), reply_format="none", max_tokens=64)
        judging = Judging(benches, PolicyLaw(law), Turns(Memory()), Thresholds())
        servicer = judge or JudgeServicer(judging, lexicon().wordings, criteria(), clock)
        panel = await stack.enter_async_context(serving(Door(add_JudgeServiceServicer_to_server, servicer)))
        yield Stage(
            stub,
            Desk(
                Writing(refusals(), bar or Bar()),
                Lines(chat, folder, target_tokens=256, target_seconds=5, target_concurrency=8),
                Desks(turn(), chat, folder, max_tokens=512),
                JudgePanels(panel, timeout=10),
                clock,
                attacker=attacker,
            ),
        )
