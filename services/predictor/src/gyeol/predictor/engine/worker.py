"""One thread that computes, and the queue before it: requests that come within a few milliseconds share a batch."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, TypeVar

from gyeol.chassis import logs
from gyeol.predictor.domain import Scored
from gyeol.predictor.engine.row import Row
from gyeol.predictor.errors import QueueFullError, StoppingError

_log = logs.get()
_END: Final = None


@dataclass(frozen=True)
class Scoring:
    """Texts to be scored."""

    texts: Sequence[Sequence[int]]
    alternatives: int
    answer: Future[list[Scored]]


Job = Row | Scoring
JobT = TypeVar("JobT", Row, Scoring)


class Worker:
    """Hands out batches to the two functions that compute.

    Args:
      generate: Continues rows until each is over.
      score: Scores texts.
      rows: Most rows of a batch.
      window: Seconds that the first row of a batch waits for others.
      waiting: Most jobs that wait.
    """

    def __init__(
        self,
        generate: Callable[[Sequence[Row]], None],
        score: Callable[[Sequence[Scoring]], None],
        *,
        rows: int,
        window: float,
        waiting: int,
    ) -> None:
        self._generate = generate
        self._score = score
        self._rows = rows
        self._window = window
        self._queue: queue.Queue[Job | None] = queue.Queue(waiting)
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)
        self._thread.start()

    def put(self, job: Job) -> None:
        """Queues a job.

        Raises:
          QueueFullError: Too many wait already.
          StoppingError: The engine ends.
        """
        if self._closed:
            raise StoppingError("the server stops: send the request again")
        try:
            self._queue.put_nowait(job)
        except queue.Full:
            raise QueueFullError("too many requests wait: send it again later", retry_after=1.0) from None

    def close(self) -> None:
        """Ends after the jobs in hand."""
        self._closed = True
        self._queue.put(_END)
        self._thread.join()

    def _work(self) -> None:
        ended = False
        while not ended:
            jobs, ended = self._batch()
            rows = [job for job in jobs if isinstance(job, Row) and not job.cancelled]
            scorings = [job for job in jobs if isinstance(job, Scoring)]
            if rows:
                self._guarded(self._generate, rows)
            if scorings:
                self._guarded(self._score, scorings)

    def _batch(self) -> tuple[list[Job], bool]:
        """The jobs of the next batch, and whether they are the last."""
        jobs: list[Job] = []
        deadline = 0.0
        while len(jobs) < self._rows:
            try:
                job = self._queue.get(timeout=max(0.0, deadline - time.monotonic()) if jobs else None)
            except queue.Empty:
                break
            if job is _END:
                return jobs, True
            deadline = deadline or time.monotonic() + self._window
            jobs.append(job)
        return jobs, False

    def _guarded(self, compute: Callable[[Sequence[JobT]], None], jobs: Sequence[JobT]) -> None:
        """An error is told to every job of its batch; the thread lives on."""
        try:
            compute(jobs)
        except Exception as error:
            _log.error("batch_failed", jobs=len(jobs), exc_info=error)
            for job in jobs:
                if isinstance(job, Row):
                    job.sink(error)
                elif not job.answer.done():
                    job.answer.set_exception(error)
