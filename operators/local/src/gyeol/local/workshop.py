"""Jobs as processes: started, listened to, ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from gyeol.chassis.clock import Clock
from gyeol.local.home import Home
from gyeol.local.log import last_words, size
from gyeol.local.order import Order
from gyeol.local.process import Identity, end_groups, marked
from gyeol.reconcile.seen import Job, JobSeen, JobState

REFUSED = 2
"""Exit status of a job whose input is bad."""
GRACE_SECONDS = 15.0
_FAILURES = ("error", "failed")
_UNBROKEN = {"COLUMNS": "500", "TYPER_USE_RICH": "0"}
"""What a job says last may be shown to a person: whole, and without a frame that breaks it into lines."""

Hear = Callable[[Job, Mapping[str, Any]], None]
"""Takes one line of progress of a job."""


@dataclass
class _Running:
    attempt: int
    started_at: datetime
    watcher: asyncio.Task[None] | None = None
    identities: list[Identity] = field(default_factory=list)
    ended: JobSeen | None = None
    last_error: str = ""
    log_start: int = 0
    """Bytes in the log before."""


class Workshop:
    """The jobs of one session.

    Args:
      home: Where logs go.
      clock: For start and end.
      hear: Told every line of progress.
    """

    def __init__(self, home: Home, clock: Clock, hear: Hear) -> None:
        self._home = home
        self._clock = clock
        self._hear = hear
        self._jobs: dict[Job, _Running] = {}
        self.changed = asyncio.Event()
        """Set whenever a job ends."""

    async def start(self, job: Job, attempt: int, order: Order) -> None:
        """Starts all processes of a job."""
        log = self._home.log(job.value)
        log.parent.mkdir(parents=True, exist_ok=True)
        running = _Running(attempt, self._clock.now(), log_start=size(log))
        processes = []
        for rank, told in enumerate(order.ranks):
            with log.open("ab") as file:
                process = await asyncio.create_subprocess_exec(
                    *order.argv,
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.PIPE if rank == 0 else file,
                    stderr=file,
                    env=marked({**_UNBROKEN, **order.env, **told}, self._home.path),
                    start_new_session=True,
                    limit=2**20,
                )
            processes.append(process)
            running.identities.append(Identity.of(process.pid))
        running.watcher = asyncio.create_task(self._watched(job, running, processes, log))
        self._jobs[job] = running

    def seen(self, job: Job) -> JobSeen | None:
        """Where a job that this workshop started is."""
        running = self._jobs.get(job)
        if running is None:
            return None
        return running.ended or JobSeen(JobState.RUNNING, running.attempt, started_at=running.started_at)

    async def cancel(self, job: Job) -> None:
        """Ends a job."""
        running = self._jobs.get(job)
        if running is not None and running.ended is None:
            await asyncio.to_thread(end_groups, running.identities, grace=GRACE_SECONDS)
            if running.watcher is not None:
                await running.watcher

    async def close(self) -> None:
        """Ends every job."""
        await asyncio.gather(*(self.cancel(job) for job in self._jobs))

    async def _watched(
        self, job: Job, running: _Running, processes: list[asyncio.subprocess.Process], log: Path
    ) -> None:
        """Follows the first process; when one of the group fails, the others are ended, because they would wait for it."""
        listener = asyncio.create_task(self._listen(job, running, processes[0].stdout, log))
        waits = [asyncio.create_task(process.wait()) for process in processes]
        codes: list[int] = []
        for done in asyncio.as_completed(waits):
            codes.append(await done)
            if codes[-1] != 0 and len(codes) < len(waits):
                await asyncio.to_thread(end_groups, running.identities, grace=GRACE_SECONDS)
        await listener
        worst = REFUSED if REFUSED in codes else next((code for code in codes if code != 0), 0)
        state = JobState.REFUSED if worst == REFUSED else JobState.FAILED
        why = running.last_error or last_words(log, since=running.log_start) or f"ended with status {worst}"
        running.ended = JobSeen(state, running.attempt, f"{why} (log: {log})", running.started_at, self._clock.now())
        self.changed.set()

    async def _listen(self, job: Job, running: _Running, reader: asyncio.StreamReader | None, log: Path) -> None:
        with log.open("ab") as file:
            while reader is not None and (line := await reader.readline()):
                file.write(line)
                file.flush()
                with contextlib.suppress(ValueError):
                    value = json.loads(line)
                    if isinstance(value, dict):
                        if value.get("event") in _FAILURES:
                            running.last_error = str(value.get("message") or value.get("error") or "")
                        self._hear(job, value)
