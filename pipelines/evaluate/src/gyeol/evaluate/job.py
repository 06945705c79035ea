"""One evaluation: gather items, ask the model, score, write."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import grpc

from gyeol.api.judge.v1.judge_pb2 import ListCriteriaRequest
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub
from gyeol.api.policy.v1.pack_pb2 import GetPackRequest
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.chassis.chat import Chat, Completion, Endpoint
from gyeol.chassis.rpc import channel
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.item import Item, digest, set_digest
from gyeol.evaluate.journal import Journal
from gyeol.evaluate.model import served
from gyeol.evaluate.outcome import Outcome
from gyeol.evaluate.runner import run_suite
from gyeol.evaluate.scorer.choice import choice_outcome
from gyeol.evaluate.scorer.response import ResponseScorer
from gyeol.evaluate.source.question import question_items
from gyeol.evaluate.source.seed import seed_items
from gyeol.evaluate.store import write_evaluation
from gyeol.evaluate.suite import QuestionSource, SeedSource, Suite
from gyeol.evaluate.summary import Summary, summaries

Emit = Callable[[dict[str, Any]], None]
"""Takes one line of progress."""


@dataclass(frozen=True)
class Conditions:
    """What has to be equal for two evaluations to be comparable, and what identifies this one."""

    endpoint: Endpoint
    suites: list[Suite]
    culture: str
    endpoints: str
    """Name of the models file of the judges."""
    judges: list[str]
    law_as_of: str
    random_seed: int
    dataset: Path | None
    """Sealed dataset the model was trained on, for its digest."""


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
        model = await served(conditions.endpoint)
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
        evaluated = [(suite, await _items(suite, conditions, seeds, policies)) for suite in conditions.suites]
        manifest = _manifest(conditions, model.digest, pack.digest, digest([str(one) for one in criteria]), evaluated)
        journal = Journal(output, manifest)
        chat = Chat()
        responses = ResponseScorer(judges, run)

        async def choices(item: Item, completion: Completion, metrics: list[str]) -> dict[str, Outcome]:
            return dict.fromkeys(metrics, choice_outcome(item, completion.text))

        scorers = {"response": responses.outcomes, "choice": choices}
        try:
            for suite, items in evaluated:
                await run_suite(
                    suite, items, conditions.endpoint, chat, scorers[suite.scorer], journal,
                    lambda name, done, of: emit({"event": "progress", "suite": name, "done": done, "of": of}),
                )  # fmt: skip
        finally:
            await chat.close()
            journal.close()
    found = [summary for suite, items in evaluated for summary in summaries(suite, items, journal)]
    write_evaluation(
        output,
        evaluated,
        journal,
        manifest | {"made_at": now.isoformat(timespec="seconds"), "summary": [asdict(one) for one in found]},
    )
    journal.remove()
    return found


@asynccontextmanager
async def _channels(addresses: Addresses) -> AsyncIterator[tuple[grpc.aio.Channel, grpc.aio.Channel, grpc.aio.Channel]]:
    opened = [channel(address) for address in (addresses.seed, addresses.policy, addresses.judge)]
    try:
        yield opened[0], opened[1], opened[2]
    finally:
        for one in opened:
            await one.close()


async def _items(
    suite: Suite, conditions: Conditions, seeds: grpc.aio.Channel, policies: grpc.aio.Channel
) -> list[Item]:
    match suite.source:
        case SeedSource():
            return await seed_items(suite.source, conditions.culture, conditions.random_seed, seeds, policies)
        case QuestionSource():
            return await question_items(suite.source, conditions.culture, policies)


def _manifest(
    conditions: Conditions,
    model_digest: str,
    pack_digest: str,
    criteria_digest: str,
    evaluated: list[tuple[Suite, list[Item]]],
) -> dict[str, Any]:
    return {
        "schema": "gyeol.dev/evaluation/v1",
        "model": conditions.endpoint.model,
        "model_digest": model_digest,
        "dataset_digest": _dataset_digest(conditions.dataset),
        "pack_digest": pack_digest,
        "law_as_of": conditions.law_as_of,
        "runner_version": version("gyeol-evaluate"),
        "judges": {"names": conditions.judges, "criteria": f"sha256:{criteria_digest}"},
        "judged": [
            f"{suite.name}/{metric.name}" for suite in conditions.suites for metric in suite.metrics if metric.judged
        ],
        "generation": {
            "temperature": 0,
            "max_tokens": {suite.name: suite.generation.max_tokens for suite in conditions.suites},
        },
        "suites": {
            suite.name: {
                "version": suite.version,
                "template": suite.template_hash,
                "items": len(items),
                "item_set": set_digest(items),
            }
            for suite, items in evaluated
        },
    }


def _dataset_digest(dataset: Path | None) -> str:
    if dataset is None:
        return ""
    path = dataset / "manifest.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["digest"])
    except (OSError, ValueError, KeyError) as error:
        raise SuiteError(f"{path}: not the manifest of a sealed dataset: {error}") from error
