from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

import pytest

from gyeol.chassis.chat import Completion, Endpoint, Message, Usage
from gyeol.chassis.chat.answer import OverloadedError
from gyeol.chassis.chat.call import Call, call
from gyeol.chassis.chat.limit import LONGEST_PAUSE
from gyeol.chassis.chat.line import Line
from support.clock import SteppedClock

ENDPOINT = Endpoint("writer-a", "http://127.0.0.1:9/v1", "m", concurrency=64)
ANSWER = Completion("네.", "stop", Usage(1, 1, Decimal(0)), cached=False)


def question(sample: int) -> Call:
    return call(
        ENDPOINT,
        [Message("user", "안녕하세요.")],
        sample=sample,
        temperature=None,
        max_tokens=8,
        seed=None,
        response_format=None,
    )


class Stingy:
    """An endpoint that grants a call every so many seconds and never says when to come back."""

    def __init__(self, clock: SteppedClock, seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._next = seconds
        self.asked: list[float] = []

    async def post(self, call: Call) -> Completion:
        await self._clock.sleep(0.01)
        self.asked.append(self._clock.seconds)
        if self._clock.seconds < self._next:
            raise OverloadedError("endpoint writer-a is overloaded (429)")
        self._next = self._clock.seconds + self._seconds
        return ANSWER


async def sent(line: Line, endpoint: Stingy, calls: int) -> Sequence[Completion | BaseException]:
    asked = (line.send(question(number), endpoint.post) for number in range(calls))
    return await asyncio.gather(*asked, return_exceptions=True)


async def test_an_endpoint_that_only_refuses_is_asked_ever_less_often() -> None:
    clock = SteppedClock()
    endpoint = Stingy(clock, seconds=1e9)
    ended = await sent(Line(ENDPOINT, clock), endpoint, calls=64)
    assert all(isinstance(one, OverloadedError) for one in ended)
    within = [sum(at <= seconds for at in endpoint.asked) for seconds in (1, 60, 600)]
    assert within[0] <= 50
    assert within[1] <= within[0] + 15
    assert within[2] <= within[1] + 25, "ten minutes at one question or two a minute"
    waits = [after - before for before, after in pairwise(endpoint.asked[-50:])]
    assert min(waits) >= LONGEST_PAUSE / 2
    assert max(waits) <= LONGEST_PAUSE + 0.1


async def test_the_pauses_of_two_services_differ() -> None:
    async def pauses() -> list[float]:
        clock = SteppedClock()
        await sent(Line(ENDPOINT, clock), Stingy(clock, seconds=1e9), calls=1)
        return [pause for pause in clock.slept if pause > 0.05]

    first, second = await pauses(), await pauses()
    assert len(first) == len(second) == 8
    assert first != second


@pytest.mark.parametrize("seconds", [0.2, 1.0])
async def test_an_endpoint_that_grants_few_calls_gives_them_all_and_is_seldom_asked_in_vain(seconds: float) -> None:
    clock = SteppedClock()
    endpoint = Stingy(clock, seconds)
    ended = await sent(Line(ENDPOINT, clock), endpoint, calls=64)
    assert list(ended) == [ANSWER] * 64
    assert len(endpoint.asked) <= 64 * 3
    assert clock.seconds <= 64 * seconds * 2.5
