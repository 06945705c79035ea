from __future__ import annotations

import asyncio

from gyeol.cluster.queue import Queue


async def test_keys_come_when_they_are_due_and_the_earliest_reason_wins() -> None:
    queue: Queue[str] = Queue()
    queue.add("late", 0.2)
    queue.add("now")
    queue.add("late", 5)
    assert await queue.get() == "now"
    began = asyncio.get_running_loop().time()
    queue.add("soon", 0.05)
    assert await queue.get() == "soon"
    assert await queue.get() == "late"
    assert 0.15 < asyncio.get_running_loop().time() - began < 2
    assert len(queue) == 0


async def test_a_key_is_looked_at_by_one_worker_at_a_time_and_again_when_asked_for_meanwhile() -> None:
    queue: Queue[str] = Queue()
    queue.add("one")
    assert await queue.get() == "one"
    queue.add("one")
    queue.add("one")
    waiting = asyncio.create_task(queue.get())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    queue.done("one")
    assert await asyncio.wait_for(waiting, 1) == "one"
    queue.done("one")
    assert len(queue) == 0


async def test_a_key_that_is_gone_is_not_looked_at() -> None:
    queue: Queue[str] = Queue()
    queue.add("gone", 0.02)
    queue.discard("gone")
    queue.add("here", 0.05)
    assert await queue.get() == "here"
