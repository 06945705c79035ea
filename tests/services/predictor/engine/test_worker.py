from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from gyeol.predictor.domain import Generated, Sampling
from gyeol.predictor.engine.batch import Batch
from gyeol.predictor.engine.row import Row
from gyeol.predictor.engine.score import Text
from gyeol.predictor.engine.vocabulary import Vocabulary
from gyeol.predictor.engine.worker import Worker
from gyeol.predictor.errors import QueueFullError, StoppingError
from support import tiny_model


class Bench:
    """A worker, the rows it is given, and what they were told."""

    def __init__(self) -> None:
        words = tiny_model.tokenizer()
        self.vocabulary = Vocabulary(words.backend_tokenizer, frozenset(), len(words))
        self.score_may_go_on = threading.Event()
        self.told: list[Any] = []
        self.done = threading.Semaphore(0)
        batch = Batch(tiny_model.llama(len(words)), self.vocabulary, 0)
        self.worker = Worker(batch, self._score, most_rows=2, most_waiting=3, score_tokens=100)

    def _score(self, texts: Any) -> None:
        self.score_may_go_on.wait()
        raise ValueError("a score that fails")

    def heard(self, said: Any) -> None:
        if isinstance(said, Generated | Exception):
            self.told.append(said)
            self.done.release()

    def row(self, *tokens: int) -> Row:
        return Row(tokens, Sampling(5, temperature=0), None, self.vocabulary, self.heard)

    def wait(self, count: int) -> list[Any]:
        for _ in range(count):
            assert self.done.acquire(timeout=20)
        return self.told


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.score_may_go_on.set()
    made.worker.close()


def test_an_error_is_told_to_whom_it_concerns_and_the_next_is_served(bench: Bench) -> None:
    bench.worker.put(bench.row(10**9))
    assert isinstance(bench.wait(1)[0], IndexError)
    bench.worker.put(bench.row(10, 11))
    assert bench.wait(1)[1].tokens == 5


def test_a_full_queue_refuses_and_says_when_to_come_again(bench: Bench) -> None:
    bench.worker.put(Text([1], 0, bench.heard))
    while bench.worker._texts:
        pass
    bench.worker.put(bench.row(1), bench.row(2))
    with pytest.raises(QueueFullError, match="2 of at most 3 texts wait") as refused:
        bench.worker.put(bench.row(3), bench.row(4))
    assert refused.value.retry_after == 1.0
    bench.score_may_go_on.set()
    assert sorted(type(one).__name__ for one in bench.wait(3)) == ["Generated", "Generated", "ValueError"]


def test_what_still_waits_when_the_engine_ends_is_told(bench: Bench) -> None:
    bench.worker.put(Text([1], 0, bench.heard))
    while bench.worker._texts:
        pass
    bench.worker.put(bench.row(1))
    closing = threading.Thread(target=bench.worker.close)
    closing.start()
    while not bench.worker._closed:
        pass
    bench.score_may_go_on.set()
    closing.join()
    assert [type(one) for one in bench.wait(2)] == [ValueError, StoppingError]
    with pytest.raises(StoppingError):
        bench.worker.put(bench.row(1))
