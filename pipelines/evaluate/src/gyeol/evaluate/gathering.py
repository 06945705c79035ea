"""Gathers the items of every suite before anything is asked."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc

from gyeol.evaluate.condition import Conditions
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.format.loader import file_items
from gyeol.evaluate.harness import Harness, run_harness
from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Entry
from gyeol.evaluate.source.policy import with_policies
from gyeol.evaluate.source.question import question_items
from gyeol.evaluate.source.seed import seed_items
from gyeol.evaluate.suite import FileSource, HarnessSource, QuestionSource, SeedSource, Suite

Gathered = tuple[list[tuple[Suite, list[Item]]], list[Entry]]
"""Items of each suite, and what the harness measured already."""


async def gathered(
    conditions: Conditions, seeds: grpc.aio.Channel, policies: grpc.aio.Channel, output: Path
) -> Gathered:
    """Items of every suite.

    Raises:
      SuiteError: A suite cannot be had, or cannot be measured on this model.
    """
    evaluated, measured = [], []
    for suite in conditions.suites:
        if isinstance(suite.source, HarnessSource):
            harness = Harness(conditions.model_dir, conditions.endpoint, output.with_name(output.name + ".harness"))
            samples = await asyncio.to_thread(run_harness, suite, suite.source, harness)
            evaluated.append((suite, [item for item, _ in samples]))
            measured += [entry for _, entry in samples]
            continue
        if conditions.endpoint is None and not conditions.by_likelihood(suite):
            raise SuiteError(f"suite {suite.name} needs generated text: give --endpoint and --model")
        evaluated.append((suite, await _items(suite, conditions, seeds, policies)))
    return evaluated, measured


async def _items(
    suite: Suite, conditions: Conditions, seeds: grpc.aio.Channel, policies: grpc.aio.Channel
) -> list[Item]:
    match suite.source:
        case SeedSource():
            return await seed_items(suite.source, conditions.culture, conditions.random_seed, seeds, policies)
        case QuestionSource():
            return await question_items(suite.source, conditions.culture, policies)
        case FileSource():
            items = await asyncio.to_thread(file_items, suite.source, conditions.random_seed)
            return await with_policies(items, conditions.culture, policies) if suite.scorer == "response" else items
        case HarnessSource():
            raise SuiteError(f"suite {suite.name} is run by the harness")
