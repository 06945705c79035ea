"""Asks the model every item and scores every answer; nothing here knows a suite by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from gyeol.chassis.chat import Chat, Completion, Endpoint
from gyeol.chassis.errors import DeniedError, GyeolError, InvalidError
from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Entry, Journal
from gyeol.evaluate.outcome import Outcome, Unscored
from gyeol.evaluate.suite import Suite

Score = Callable[[Item, Completion, list[str]], Awaitable[dict[str, Outcome]]]
Progress = Callable[[str, int, int], None]
"""Suite name, finished items, all items."""


async def run_suite(
    suite: Suite,
    items: Sequence[Item],
    endpoint: Endpoint,
    chat: Chat,
    score: Score,
    journal: Journal,
    progress: Progress,
) -> None:
    """Evaluates what the journal does not hold yet, at temperature 0.

    Raises:
      GyeolError: The key or the request is wrong: no item could be measured, so that going on would only produce failures.
    """
    metrics = [metric.name for metric in suite.metrics]
    open_items = [item for item in items if (suite.name, item.id) not in journal.entries]
    finished = len(items) - len(open_items)
    progress(suite.name, finished, len(items))
    slots = asyncio.Semaphore(endpoint.concurrency)

    async def one(item: Item) -> None:
        nonlocal finished
        async with slots:
            journal.add(await _entry(suite, item, metrics, endpoint, chat, score))
        finished += 1
        progress(suite.name, finished, len(items))

    async with asyncio.TaskGroup() as group:
        for item in open_items:
            group.create_task(one(item))


async def _entry(suite: Suite, item: Item, metrics: list[str], endpoint: Endpoint, chat: Chat, score: Score) -> Entry:
    try:
        completion = await chat.complete(
            endpoint, item.messages, temperature=0.0, max_tokens=suite.generation.max_tokens, seed=0
        )
    except (DeniedError, InvalidError):
        raise
    except GyeolError as error:
        return Entry(suite.name, item.id, "", "", dict.fromkeys(metrics, Unscored("InfraFailed", str(error))))
    if not completion.text.strip():
        failed = Unscored("ModelFailed", f"empty reply, finish reason {completion.finish_reason or 'unknown'}")
        return Entry(suite.name, item.id, "", completion.finish_reason, dict.fromkeys(metrics, failed))
    return Entry(suite.name, item.id, completion.text, completion.finish_reason, await score(item, completion, metrics))
