"""The one thread that runs the model: lets rows join, scores texts and steps, as long as there is work."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

from prometheus_client import Counter, Gauge, Histogram

from gyeol.chassis import logs
from gyeol.predictor.engine.batch import Batch
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.score import Text, take_batch
from gyeol.predictor.errors import QueueFullError, StoppingError

_log = logs.get()
_TOKENS = Counter("gyeol_predictor_tokens", "Tokens generated.")
_SCORED = Counter("gyeol_predictor_scored_tokens", "Tokens of given texts that were scored.")
_ROWS = Histogram(
    "gyeol_predictor_rows", "Sequences that grow together, by step.", buckets=(1, 2, 4, 8, 16, 32, 64, 128)
)
_WAITING = Gauge("gyeol_predictor_waiting", "Sequences and texts that wait for the model.")


class Worker:
    """Owns the batch and what waits before it.

    Args:
      batch: Rows in work.
      score: Scores texts of like length.
      most_rows: Rows that may be in work at once.
      most_waiting: Rows and texts that may wait.
      score_tokens: Tokens, padding included, that are scored in one pass.
    """

    def __init__(
        self,
        batch: Batch,
        score: Callable[[Sequence[Text]], None],
        *,
        most_rows: int,
        most_waiting: int,
        score_tokens: int,
    ) -> None:
        self._batch = batch
        self._score = score
        self._most_rows = most_rows
        self._most_waiting = most_waiting
        self._score_tokens = score_tokens
        self._rows: list[Row] = []
        self._texts: list[Text] = []
        self._closed = False
        self._changed = threading.Condition()
        self._thread = threading.Thread(target=self._work, name="engine", daemon=True)
        self._thread.start()

    def put(self, *work: Row | Text) -> None:
        """Queues rows and texts, all or none.

        Raises:
          QueueFullError: Too many wait already.
          StoppingError: The engine has ended.
        """
        with self._changed:
            if self._closed:
                raise StoppingError("the server stops: send the request again")
            waiting = len(self._rows) + len(self._texts)
            if waiting + len(work) > self._most_waiting:
                raise QueueFullError(
                    f"{waiting} of at most {self._most_waiting} texts wait: send the request again later",
                    retry_after=1.0,
                )
            self._rows += [one for one in work if isinstance(one, Row)]
            self._texts += [one for one in work if isinstance(one, Text)]
            self._changed.notify()

    def close(self) -> None:
        """Ends the thread; what is still in work ends with an error."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                while not (self._closed or self._rows or self._texts or self._batch):
                    self._changed.wait()
                if self._closed:
                    break
                joining, texts = self._next_rows(), self._next_texts()
                _WAITING.set(len(self._rows) + len(self._texts))
            if texts:
                self._guarded(partial(self._score, texts), texts)
                _SCORED.inc(sum(len(text.tokens) for text in texts))
            if joining:
                self._guarded(partial(self._batch.join, joining), joining)
                _TOKENS.inc(len(joining))
            if self._batch:
                _ROWS.observe(len(self._batch))
                _TOKENS.inc(len(self._batch))
                self._guarded(self._batch.step, ())
        stopped = StoppingError("the server stops: send the request again")
        self._batch.fail(stopped)
        left: list[Row | Text] = [*self._rows, *self._texts]
        for one in left:
            one.sink(stopped)

    def _next_rows(self) -> list[Row]:
        waiting = [row for row in self._rows if not row.cancelled]
        free = max(0, self._most_rows - len(self._batch)) if self._batch.open else 0
        self._rows = waiting[free:]
        return waiting[:free]

    def _next_texts(self) -> list[Text]:
        self._texts = [text for text in self._texts if not text.cancelled]
        return take_batch(self._texts, self._score_tokens) if self._texts else []

    def _guarded(self, compute: Callable[[], None], work: Sequence[Row | Text]) -> None:
        """An error is told to all whom it concerns; the thread lives on."""
        try:
            compute()
        except Exception as error:
            _log.error("model_failed", rows=len(self._batch), work=len(work), exc_info=error)
            concerned: list[Row | Text] = [one for one in work if one not in self._batch.rows]
            self._batch.fail(error)
            for one in concerned:
                one.sink(error)
