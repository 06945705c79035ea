"""Asks the model every item and scores every answer; nothing here knows a suite by name."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal

import stamina

from gyeol.chassis.chat import Chat, Completion, Endpoint, Message
from gyeol.chassis.errors import DeniedError, GyeolError, InvalidError
from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Entry, Journal
from gyeol.evaluate.outcome import Outcome, Unscored
from gyeol.evaluate.patience import Patience
from gyeol.evaluate.pictured import pictured
from gyeol.evaluate.suite import Suite

Score = Callable[[Item, Answer, Sequence[str]], Awaitable[dict[str, Outcome]]]
Ask = Callable[[Item, list[Message]], Awaitable[Completion]]
Progress = Callable[[str, int, int], None]
"""Suite name, finished items, all items."""
PATIENCE = 8
"""Refused requests, with none answered, after which the request itself is taken to be wrong."""


async def run_suite(
    suite: Suite,
    items: Sequence[Item],
    endpoint: Endpoint,
    chat: Chat,
    score: Score,
    journal: Journal,
    progress: Progress,
    patience: Patience,
) -> None:
    """Evaluates what the journal does not hold yet, at temperature 0; an endpoint that is away for a while is waited for.

    An item that the endpoint refuses while it answers others, for example because it is longer than the model's context, is
    unscored. It is written down last, when it is known that others were answered.

    Raises:
      GyeolError: The key or the request is wrong: no item could be measured, so that going on would only produce failures.
    """
    metrics = [metric.name for metric in suite.metrics]
    open_items = iter([item for item in items if (suite.name, item.id) not in journal.entries])
    finished = sum((suite.name, item.id) in journal.entries for item in items)
    progress(suite.name, finished, len(items))
    refused: list[tuple[Item, InvalidError]] = []

    def done(entry: Entry) -> None:
        nonlocal finished
        journal.add(entry)
        finished += 1
        progress(suite.name, finished, len(items))

    async def ask(item: Item, messages: list[Message]) -> Completion:
        async for attempt in stamina.retry_context(on=patience.pause, attempts=None, timeout=None):
            with attempt:
                said = await _asked(suite, item, messages, endpoint, chat)
                patience.answered()
                return said
        raise AssertionError("stamina ends with a result or an error")

    async def worker() -> None:
        # Workers draw from one iterator: a task per item would hold a hundred thousand of them.
        for item in open_items:
            try:
                done(await _entry(suite, item, metrics, ask, score))
            except InvalidError as error:
                refused.append((item, error))
                if not finished and len(refused) >= PATIENCE:
                    raise

    async with asyncio.TaskGroup() as group:
        for _ in range(endpoint.concurrency):
            group.create_task(worker())
    if refused and not finished:
        raise refused[0][1]
    for item, error in refused:
        done(Entry(suite.name, item.id, "", "", dict.fromkeys(metrics, Unscored("ModelFailed", str(error)))))


async def _entry(suite: Suite, item: Item, metrics: list[str], ask: Ask, score: Score) -> Entry:
    said: list[Completion] = []
    try:
        said.append(await ask(item, list(item.messages)))
        if item.follow_up and said[0].text.strip():
            history = [*item.messages, Message("assistant", said[0].text), Message("user", item.follow_up)]
            said.append(await ask(item, history))
    except (DeniedError, InvalidError):
        raise
    except GyeolError as error:
        return Entry(suite.name, item.id, "", "", dict.fromkeys(metrics, Unscored("InfraFailed", str(error))))
    tokens, cost = sum(one.usage.tokens for one in said), _cost(said)
    answer = Answer(tuple(one.text for one in said), said[-1].finish_reason)
    if not all(text.strip() for text in answer.texts):
        failed = Unscored("ModelFailed", f"empty reply, finish reason {answer.finish_reason or 'unknown'}")
        return Entry(suite.name, item.id, "", answer.finish_reason, dict.fromkeys(metrics, failed), tokens, cost)
    outcomes = await score(item, answer, metrics)
    return Entry(suite.name, item.id, answer.told, answer.finish_reason, outcomes, tokens, cost)


async def _asked(suite: Suite, item: Item, messages: list[Message], endpoint: Endpoint, chat: Chat) -> Completion:
    if item.picture is not None:
        return await pictured(endpoint, messages, item.picture, suite.generation.max_tokens)
    return await chat.complete(endpoint, messages, temperature=0.0, max_tokens=suite.generation.max_tokens, seed=0)


def _cost(said: Sequence[Completion]) -> str:
    costs = [Decimal(0) if one.cached else one.usage.cost for one in said]
    known = [cost for cost in costs if cost is not None]
    return str(sum(known, Decimal(0))) if len(known) == len(costs) else ""
