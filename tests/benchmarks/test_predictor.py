"""What the predictor costs over transformers' own generate: HTTP, queue, batching and reading of tokens.

Both run the same model on one thread, in turns. Compared are processor seconds, the least of several turns, for wall time
says more about the neighbours; it is told beside them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from support import tiny_model

TOKENS, TURNS, COMPANY = 64, 8, 8
PROMPT = "대한민국의 수도는"
SHAPE = {
    "hidden_size": 256,
    "intermediate_size": 768,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "max_position_embeddings": 1024,
}


@pytest.fixture(scope="module")
def model() -> Iterator[Any]:
    """About four million parameters, and no token that ends a text, so that every text has its full length."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    made = tiny_model.llama(len(tiny_model.tokenizer()), **SHAPE, initializer_range=0.05)
    made.generation_config.eos_token_id = None
    yield made
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def server(model: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, psutil.Process]]:
    place = tmp_path_factory.mktemp("predictor")
    folder = tiny_model.write(place / "model", model)
    configuration = json.loads((folder / "tokenizer_config.json").read_text())
    (folder / "tokenizer_config.json").write_text(json.dumps({**configuration, "eos_token": None}))
    tiny_model.sealed(folder)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PREDICTOR_READY_FILE": str(place / "ready.json")}
    argv = [sys.executable, "-m", "gyeol.predictor", "--model", str(folder), "--http-port", "0", "--grpc-port", "0"]
    with (place / "log").open("wb") as log:
        process = subprocess.Popen(argv, env=environment, stdout=log, stderr=log)
    try:
        yield f"http://127.0.0.1:{_port(place, process)}/openai/v1", psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=60)


def _port(place: Path, process: subprocess.Popen[bytes]) -> int:
    while not (place / "ready.json").exists():
        assert process.poll() is None, (place / "log").read_text()
        time.sleep(0.05)
    return int(json.loads((place / "ready.json").read_text())["metrics_port"])


def bare(model: Any, rows: int) -> Callable[[], None]:
    import torch

    tokens = torch.tensor([tiny_model.tokenizer()(PROMPT, add_special_tokens=False)["input_ids"]] * rows)

    def generate() -> None:
        with torch.inference_mode():
            made = model.generate(
                tokens, attention_mask=torch.ones_like(tokens), do_sample=False, max_new_tokens=TOKENS
            )
        assert made.shape[1] == tokens.shape[1] + TOKENS

    return generate


def served(url: str, rows: int) -> Callable[[], None]:
    client = httpx.Client(timeout=300)
    threads = ThreadPoolExecutor(rows)
    body = {"model": "model", "prompt": PROMPT, "max_tokens": TOKENS, "temperature": 0}

    def ask(_: int) -> int:
        return int(client.post(f"{url}/completions", json=body).json()["usage"]["completion_tokens"])

    def generate() -> None:
        assert list(threads.map(ask, range(rows))) == [TOKENS] * rows

    return generate


@dataclass(frozen=True)
class Way:
    """A way to make the texts."""

    make: Callable[[], None]
    process: psutil.Process
    """Where the work is done."""

    def turn(self) -> tuple[float, float]:
        """Processor and wall seconds of one turn."""
        before, started = self.process.cpu_times(), time.perf_counter()
        self.make()
        wall, after = time.perf_counter() - started, self.process.cpu_times()
        return after.user + after.system - before.user - before.system, wall


def least(*ways: Way) -> list[tuple[float, float]]:
    """The least of several turns of each way; ways take turns, and the first one only warms up."""
    found = [[way.turn() for way in ways] for _ in range(TURNS + 1)][1:]
    return [(min(turn[0] for turn in turns), min(turn[1] for turn in turns)) for turns in zip(*found, strict=True)]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("rows", [1, COMPANY], ids=["alone", f"{COMPANY} at once"])
def test_a_served_answer_takes_at_most_a_twentieth_longer_than_generate(
    model: Any, server: tuple[str, psutil.Process], rows: int
) -> None:
    url, process = server
    (generate, generate_wall), (serve, serve_wall) = least(
        Way(bare(model, rows), psutil.Process()), Way(served(url, rows), process)
    )
    sys.stdout.write(
        f"\n{rows} x {TOKENS} tokens: generate {generate * 1000:.0f} ms, served {serve * 1000:.0f} ms, "
        f"ratio {serve / generate:.3f} (wall {serve_wall / generate_wall:.3f}, {rows * TOKENS / serve_wall:.0f} tokens/s)\n"
    )
    assert serve / generate <= 1.05
