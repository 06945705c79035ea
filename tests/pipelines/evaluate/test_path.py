"""One small model, two paths: loaded from its folder, and served by the project's own predictor as a process."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from gyeol.chassis.chat import Endpoint
from gyeol.evaluate.harness import Harness, run_harness
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Scored
from gyeol.evaluate.scorer.option import LETTERS
from gyeol.evaluate.suite import HarnessSource, Suite, shipped
from support import benchmark, tiny_model
from support.evaluating import evaluated, peers

pytestmark = pytest.mark.needs_model
ITEMS = 8
WRONG = (2, 5, 6)
"""Items to which the model is taught a wrong answer: the number that both paths have to find is 5 of 8."""
PROMPT = "{question}\n{options}\n정답:"


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    # Short ones: a model this small learns by heart what it has to answer, and every token costs time.
    choices = ["산", "강", "들", "섬"]
    rows = [
        benchmark.click_row(n) | {"question": f"{n}?", "choices": choices, "answer": choices[n % 4]}
        for n in range(ITEMS)
    ]
    data = benchmark.as_lines(tmp_path / "click.jsonl", rows)
    return benchmark.read_from("click", data, prompts=[PROMPT])


@pytest.fixture
def folder(suite: Suite, tmp_path: Path) -> Path:
    assert suite.source.kind == "file"
    items = benchmark.loaded("click", Path(suite.source.data), prompts=[PROMPT])
    return tiny_model.write(tmp_path / "model", taught(items))


def taught(items: Sequence[Item]) -> Any:
    """A Llama of 100,000 parameters that has learned a letter for every item, by plain prompt and in a chat."""
    import torch

    words = tiny_model.tokenizer()
    model = tiny_model.llama(len(words), max_position_embeddings=512, initializer_range=0.06).train()
    texts = []
    for number, item in enumerate(items):
        letter = LETTERS[(item.expected["answer"] + (number in WRONG)) % 4]
        asked = [{"role": "user", "content": item.messages[0].content}]
        chat = words.apply_chat_template(asked, tokenize=False, add_generation_prompt=True)
        texts += [(item.messages[0].content, f" {letter}<|end|>"), (chat, f"{letter}<|end|>")]
    rows = [(words.encode(before), words.encode(after)) for before, after in texts]
    width = max(len(before) + len(after) for before, after in rows)
    tokens = torch.zeros((len(rows), width), dtype=torch.long)
    labels = torch.full_like(tokens, -100)
    for row, (before, after) in enumerate(rows):
        tokens[row, : len(before) + len(after)] = torch.tensor(before + after)
        labels[row, len(before) : len(before) + len(after)] = torch.tensor(after)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
    for _ in range(120):
        loss = model(input_ids=tokens, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.05:
            break
    torch.set_num_threads(threads)
    assert loss.item() < 0.1, "the tiny model did not learn its letters"
    return model.eval()


@contextlib.asynccontextmanager
async def predictor(folder: Path) -> AsyncIterator[str]:
    """Serves the folder and gives the base URL."""
    ready = folder.parent / "ready.json"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gyeol.predictor", "--model", str(folder), "--http-port", "0", "--grpc-port", "0",
        env={**os.environ, "OMP_NUM_THREADS": "1", "PREDICTOR_READY_FILE": str(ready)},
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        async with asyncio.timeout(90):
            while not ready.exists():
                assert process.returncode is None, f"the predictor ended with {process.returncode} before it served"
                await asyncio.sleep(0.05)
        yield f"http://127.0.0.1:{json.loads(ready.read_text())['metrics_port']}/openai/v1"
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_both_paths_and_the_harness_find_the_same_number(suite: Suite, folder: Path, tmp_path: Path) -> None:
    async with peers() as addresses, predictor(folder) as url:
        local = await evaluated(addresses, tmp_path / "local", [suite], model_dir=folder)
        asked = await evaluated(addresses, tmp_path / "asked", [suite], url, model="model")
        harness = await asyncio.to_thread(harness_score, suite, url, tmp_path)
    expected = (ITEMS - len(WRONG)) / ITEMS
    assert local["click", "correct"].mean == pytest.approx(expected)
    assert asked["click", "correct"].mean == pytest.approx(expected)
    assert asked["click", "correct"].scored == ITEMS, "every reply was read"
    assert harness in (None, pytest.approx(expected))


def harness_score(suite: Suite, url: str, place: Path) -> float | None:
    """Mean of a task of the harness that asks the same questions of the same endpoint; None without the harness."""
    if importlib.util.find_spec("lm_eval") is None:
        return None
    assert suite.source.kind == "file"
    items = benchmark.loaded("click", Path(suite.source.data), prompts=[PROMPT])
    docs = [{"prompt": item.messages[0].content, "letter": LETTERS[item.expected["answer"]]} for item in items]
    task = {
        "task": "made_chat",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(benchmark.as_lines(place / "docs.jsonl", docs))}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "{{letter}}",
        "generation_kwargs": {"until": ["\n"], "max_gen_toks": 4, "do_sample": False},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0},
    }
    (place / "tasks").mkdir()
    (place / "tasks" / "made_chat.yaml").write_text(json.dumps(task))
    source = HarnessSource(kind="harness", task="made_chat", few_shot=0, data=str(place / "tasks"))
    endpoint = Endpoint(name="model", base_url=url, model="model", concurrency=4)
    measured = run_harness(
        shipped()["hrm8k"].model_copy(update={"source": source}), source, Harness(None, endpoint, place / "cache")
    )
    values = [entry.outcomes["exact_match"] for _, entry in measured]
    assert len(values) == ITEMS
    return sum(one.value for one in values if isinstance(one, Scored)) / ITEMS
