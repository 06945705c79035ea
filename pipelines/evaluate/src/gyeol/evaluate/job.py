"""One evaluation: gather items, ask the model, score, write."""

from __future__ import annotations

import asyncio
import datetime as dt
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import grpc

from gyeol.api.judge.v1.judge_pb2 import ListCriteriaRequest
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub
from gyeol.api.policy.v1.pack_pb2 import GetPackRequest
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.chassis.chat import Chat
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.rpc import channel
from gyeol.evaluate.cache import FolderCache
from gyeol.evaluate.condition import Conditions, manifest, model_digest, within
from gyeol.evaluate.derived import derived_summaries
from gyeol.evaluate.error import ModelError
from gyeol.evaluate.gathering import gathered
from gyeol.evaluate.item import Item, digest
from gyeol.evaluate.journal import Entry, Journal
from gyeol.evaluate.model import served
from gyeol.evaluate.patience import Patience
from gyeol.evaluate.runner import run_suite
from gyeol.evaluate.scorer.option import LETTERS, graded
from gyeol.evaluate.scoring import scorer
from gyeol.evaluate.store import write_evaluation
from gyeol.evaluate.suite import HarnessSource, Likelihood, Suite
from gyeol.evaluate.summary import Summary, summaries

Emit = Callable[[dict[str, Any]], None]
"""Takes one line of progress."""


@dataclass(frozen=True)
class Addresses:
    seed: str
    policy: str
    judge: str


async def evaluate(
    conditions: Conditions, addresses: Addresses, output: Path, now: dt.datetime, emit: Emit
) -> list[Summary]:
    """Evaluates one model on every suite; picks up where an interrupted evaluation stopped."""
    async with _channels(addresses) as (seeds, policies, judges):
        model, context = await _model(conditions)
        conditions = replace(conditions, suites=within(conditions.suites, context))
        pack = (await PackServiceStub(policies).GetPack(GetPackRequest(culture=conditions.culture))).pack
        criteria = (await JudgeServiceStub(judges).ListCriteria(ListCriteriaRequest())).criteria
        run = RunContext(
            run_id="evaluation",
            culture=conditions.culture,
            pack_digest=pack.digest,
            endpoints=conditions.endpoints,
            judges=conditions.judges,
            law_as_of=conditions.law_as_of,
            random_seed=conditions.random_seed,
        )
        patience = Patience(SystemClock())
        chat = Chat(cache=FolderCache(conditions.cache) if conditions.cache else None)
        scorers = {
            suite.name: scorer(suite, conditions, run, policies, judges, chat)
            for suite in conditions.suites
            if not isinstance(suite.source, HarnessSource)
        }
        evaluated, measured = await gathered(conditions, seeds, policies, output)
        told = manifest(conditions, model, pack.digest, digest([str(one) for one in criteria]), evaluated)
        journal = Journal(output, told)

        def progress(name: str, done: int, of: int) -> None:
            emit({"event": "progress", "suite": name, "done": done, "of": of})

        try:
            for entry in measured:
                journal.add(entry)
            for suite, items in evaluated:
                if isinstance(suite.source, HarnessSource):
                    progress(suite.name, len(items), len(items))
                elif conditions.model_dir is not None and suite.likelihood is not None:
                    await asyncio.to_thread(
                        _by_likelihood, suite, items, conditions.model_dir, suite.likelihood, journal
                    )
                    progress(suite.name, len(items), len(items))
                elif conditions.endpoint is not None:
                    await run_suite(
                        suite, items, conditions.endpoint, chat, scorers[suite.name], journal, progress, patience
                    )
        finally:
            await chat.close()
            journal.close()
    found = [
        one
        for suite, items in evaluated
        for one in (*summaries(suite, items, journal), *derived_summaries(suite, items, journal))
    ]
    made = {"made_at": now.isoformat(timespec="seconds"), "usage": _usage(evaluated, journal)}
    write_evaluation(output, evaluated, journal, told | made | {"summary": [asdict(one) for one in found]})
    journal.remove()
    return found


def _by_likelihood(suite: Suite, items: Sequence[Item], folder: Path, how: Likelihood, journal: Journal) -> None:
    from gyeol.evaluate.likelihood import LocalModel

    remaining = [item for item in items if (suite.name, item.id) not in journal.entries]
    if not remaining:
        return
    for item, option in LocalModel(folder).options(remaining, how):
        journal.add(Entry(suite.name, item.id, LETTERS[option], "likelihood", graded(suite.scorer, item, option)))


async def _model(conditions: Conditions) -> tuple[dict[str, str], int | None]:
    """What the manifest says of the model, and how many tokens a prompt and its answer may have, when that is known."""
    local = model_digest(conditions.model_dir) if conditions.model_dir is not None else ""
    if conditions.endpoint is not None:
        known = await served(conditions.endpoint)
        digests = {one for one in (known.digest, local) if one}
        if len(digests) > 1:
            raise ModelError(
                f"{conditions.model_dir} holds {local}, but the endpoint serves {known.digest}; name the same model twice"
            )
        return {"model": known.model, "model_digest": known.digest or local}, known.context
    if conditions.model_dir is not None:
        return {"model": conditions.model_dir.name, "model_digest": local}, None
    raise ModelError("neither an endpoint nor a model folder is given; add --endpoint and --model, or --model-dir")


def _usage(evaluated: Sequence[tuple[Suite, Sequence[Item]]], journal: Journal) -> dict[str, Any]:
    entries = [journal.entries[suite.name, item.id] for suite, items in evaluated for item in items]
    costs = [entry.cost for entry in entries if entry.tokens]
    known = bool(costs) and all(costs)
    return {
        "tokens": sum(entry.tokens for entry in entries),
        "cost": str(sum(map(Decimal, costs), Decimal(0))) if known else None,
    }


@asynccontextmanager
async def _channels(addresses: Addresses) -> AsyncIterator[tuple[grpc.aio.Channel, grpc.aio.Channel, grpc.aio.Channel]]:
    opened = [channel(address) for address in (addresses.seed, addresses.policy, addresses.judge)]
    try:
        yield opened[0], opened[1], opened[2]
    finally:
        for one in opened:
            await one.close()
