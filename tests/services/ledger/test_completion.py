"""A caller that is killed in the middle of a call leaves no half of it behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gyeol.ledger.completion import Completing


class Slow:
    """Answers when it may."""

    def __init__(self) -> None:
        self.begun, self.may, self.ended = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def store(self, request: str, context: Any) -> str:
        self.begun.set()
        await self.may.wait()
        self.ended.set()
        if request == "bad":
            raise ValueError(request)
        return request

    async def export(self, request: str, context: Any) -> AsyncIterator[str]:
        yield request


async def test_work_goes_on_to_its_end_when_the_caller_is_gone() -> None:
    slow = Slow()
    call = asyncio.create_task(Completing(slow).store("one", None))
    await slow.begun.wait()
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert not slow.ended.is_set()
    slow.may.set()
    await asyncio.wait_for(slow.ended.wait(), 30)


async def test_whoever_stays_gets_the_answer_the_error_or_the_stream() -> None:
    slow = Slow()
    slow.may.set()
    completing = Completing(slow)
    assert await completing.store("one", None) == "one"
    with pytest.raises(ValueError, match="bad"):
        await completing.store("bad", None)
    assert [part async for part in completing.export("part", None)] == ["part"]
