from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest_asyncio

from gyeol.chassis.clock import SystemClock
from gyeol.local.home import Home
from gyeol.local.order import Order
from gyeol.local.process import leftovers
from gyeol.local.workshop import Workshop
from gyeol.reconcile.seen import Job, JobSeen, JobState


class Shop:
    def __init__(self, path: Path) -> None:
        self.home = Home(path)
        self.heard: list[Mapping[str, Any]] = []
        self.workshop = Workshop(self.home, SystemClock(), lambda _, line: self.heard.append(line))

    async def run(self, script: str, *ranks: Mapping[str, str]) -> JobSeen:
        await self.workshop.start(Job.TRAIN, 3, Order([sys.executable, "-c", script], {}, ranks or ({},)))
        return await self.end()

    async def end(self) -> JobSeen:
        async with asyncio.timeout(60):
            await self.workshop.changed.wait()
        self.workshop.changed.clear()
        one = self.workshop.seen(Job.TRAIN)
        assert one is not None
        return one


@pytest_asyncio.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    made = Shop(tmp_path)
    yield made
    await made.workshop.close()
    assert leftovers(tmp_path) == []


async def test_lines_of_progress_are_heard_and_everything_is_logged(shop: Shop) -> None:
    await shop.run(
        "import sys; print('{\"event\": \"step\", \"step\": 3}'); print('plain'); sys.stderr.write('warned\\n')"
    )
    assert shop.heard == [{"event": "step", "step": 3}]
    log = shop.home.log("train").read_text()
    assert "plain" in log
    assert "warned" in log


async def test_bad_input_is_told_apart_from_a_failure(shop: Shop) -> None:
    refused = await shop.run("import sys; sys.stderr.write('error: no EOS token\\n'); sys.exit(2)")
    assert (refused.state, refused.attempt) == (JobState.REFUSED, 3)
    assert refused.message.startswith("no EOS token (log: ")
    failed = await shop.run("raise SystemExit(1)")
    assert failed.state is JobState.FAILED


async def test_what_a_job_says_last_is_heard_in_one_piece_however_it_is_printed(shop: Shop) -> None:
    sentence = "the policy " + "of this run " * 20 + "is not known"
    said = await shop.run(f"from rich.console import Console; Console().print({sentence!r}); raise SystemExit(2)")
    assert said.message.startswith(sentence)


async def test_the_error_a_job_reports_comes_before_what_it_wrote_last(shop: Shop) -> None:
    script = (
        "import json; print(json.dumps({'event': 'error', 'message': 'the disk is full'})); raise ValueError('noise')"
    )
    assert (await shop.run(script)).message.startswith("the disk is full (log: ")


async def test_a_process_that_is_killed_is_a_failure(shop: Shop) -> None:
    assert (await shop.run("import os; os.kill(os.getpid(), 9)")).state is JobState.FAILED


async def test_every_rank_is_told_its_rank(shop: Shop) -> None:
    script = "import os, json; print(json.dumps({'rank': os.environ['RANK']}))"
    await shop.run(script, {"RANK": "0"}, {"RANK": "1"})
    assert shop.heard == [{"rank": "0"}]
    assert '{"rank": "1"}' in shop.home.log("train").read_text()


async def test_when_one_rank_fails_the_others_do_not_wait_for_ever(shop: Shop) -> None:
    script = "import os, sys, time; sys.exit(1) if os.environ['RANK'] == '1' else time.sleep(600)"
    ended = await shop.run(script, {"RANK": "0"}, {"RANK": "1"})
    assert ended.state is JobState.FAILED


async def test_a_job_is_ended_with_its_children(shop: Shop) -> None:
    script = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); time.sleep(600)"
    await shop.workshop.start(Job.TRAIN, 0, Order([sys.executable, "-c", script]))
    async with asyncio.timeout(60):
        while len(leftovers(shop.home.path)) < 2:  # noqa: ASYNC110 - nobody tells when a process has begun
            await asyncio.sleep(0.02)
    await shop.workshop.cancel(Job.TRAIN)
    assert leftovers(shop.home.path) == []
    assert (await shop.end()).state is JobState.FAILED
