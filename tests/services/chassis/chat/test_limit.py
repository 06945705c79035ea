import asyncio

from gyeol.chassis.chat.breaker import Breaker
from gyeol.chassis.chat.limit import Limit
from support.clock import SteppedClock


async def use(limit: Limit, times: int, *, overloaded: bool = False) -> None:
    for _ in range(times):
        await limit.acquire()
        limit.release(overloaded=overloaded)


async def test_a_limit_grows_fast_until_the_first_refusal_and_slowly_after() -> None:
    clock = SteppedClock()
    limit = Limit(clock, ceiling=100, start=8)
    await use(limit, 12)
    assert limit.current == 20
    await use(limit, 1, overloaded=True)
    assert limit.current == 14
    await use(limit, 1)
    assert 14 < limit.current < 14.1


async def test_refusals_at_the_same_time_count_once() -> None:
    clock = SteppedClock()
    limit = Limit(clock, ceiling=100, start=10)
    for _ in range(5):
        await limit.acquire()
    for _ in range(5):
        limit.release(overloaded=True)
    assert limit.current == 7
    clock.advance(0.2)
    await use(limit, 1, overloaded=True)
    assert limit.current == 7 * 0.7


async def test_a_limit_stays_between_one_and_its_ceiling() -> None:
    clock = SteppedClock()
    limit = Limit(clock, ceiling=4, start=8)
    await use(limit, 20)
    assert limit.current == 4
    for _ in range(20):
        clock.advance(1)
        await use(limit, 1, overloaded=True)
    assert limit.current == 1


async def test_who_waits_is_served_in_order_and_who_gives_up_leaves_no_gap() -> None:
    limit = Limit(SteppedClock(), ceiling=1, start=1)
    await limit.acquire()
    served: list[str] = []

    async def wait(name: str) -> None:
        await limit.acquire()
        served.append(name)
        limit.release()

    tasks = [asyncio.create_task(wait(name)) for name in "abcd"]
    await asyncio.sleep(0)
    tasks[1].cancel()
    await asyncio.sleep(0)
    limit.release()
    await asyncio.wait(tasks, timeout=1)
    assert served == ["a", "c", "d"]
    assert limit.in_flight == 0


async def test_retry_after_closes_the_door_for_so_long() -> None:
    clock = SteppedClock()
    limit = Limit(clock, ceiling=8)
    await limit.acquire()
    limit.release(overloaded=True, retry_after=20)
    await limit.acquire()
    assert clock.seconds == 20


def test_a_breaker_opens_after_failures_in_a_row_and_lets_one_call_try() -> None:
    clock = SteppedClock()
    breaker = Breaker(clock, "writer-a", failures=3, seconds=10)
    breaker.failed()
    breaker.failed()
    breaker.succeeded()
    for _ in range(3):
        assert not breaker.is_open
        breaker.failed()
    assert breaker.is_open
    clock.advance(10)
    breaker.check()
    assert breaker.is_open, "one call tries, the others wait for how it goes"
    breaker.failed()
    assert breaker.is_open
    clock.advance(10)
    breaker.check()
    breaker.succeeded()
    assert not breaker.is_open
    breaker.check()
