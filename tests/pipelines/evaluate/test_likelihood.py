"""A real small model scores through log-likelihood, through an endpoint, and through the harness."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.format.loader import file_items
from gyeol.evaluate.harness import Harness, run_harness, samples
from gyeol.evaluate.likelihood import LocalModel
from gyeol.evaluate.outcome import Scored, Unscored
from gyeol.evaluate.scorer.option import LETTERS
from gyeol.evaluate.suite import FileSource, HarnessSource, Likelihood, Suite, shipped
from support import benchmark

pytestmark = pytest.mark.needs_model
PROMPT = "{question}\n{options}\n정답:"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from support import tiny_model

    words = tiny_model.tokenizer()
    model = tiny_model.llama(len(words), max_position_embeddings=512)
    return tiny_model.write(tmp_path_factory.mktemp("model"), model)


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    data = benchmark.as_lines(tmp_path / "click.jsonl", [benchmark.click_row(n) for n in range(24)])
    return benchmark.read_from("click", data, prompts=[PROMPT])


def correct(suite: Suite, folder: Path, how: Likelihood | None = None) -> dict[str, float]:
    assert isinstance(suite.source, FileSource)
    used = how or suite.likelihood
    assert used is not None
    picked = LocalModel(folder).options(file_items(suite.source, 1), used)
    return {item.id: float(option == item.expected["answer"]) for item, option in picked}


def test_the_most_likely_option_is_the_one_of_plain_arithmetic(suite: Suite, folder: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    assert isinstance(suite.source, FileSource)
    items = file_items(suite.source, 1)
    words: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    picked = {item.id: option for item, option in LocalModel(folder).options(items, Likelihood(continuations="marks"))}
    for item in items[:6]:
        prompt = words.encode(item.messages[0].content, add_special_tokens=False)
        likelihoods = []
        for letter in LETTERS[:4]:
            whole = words.encode(item.messages[0].content + f" {letter}", add_special_tokens=False)
            with torch.inference_mode():
                logits = model(torch.tensor([whole])).logits[0].log_softmax(-1)
            likelihoods.append(sum(float(logits[place - 1, whole[place]]) for place in range(len(prompt), len(whole))))
        assert picked[item.id] == max(range(4), key=likelihoods.__getitem__)


def test_the_harness_gives_the_same_number_on_the_same_prompt_form(suite: Suite, folder: Path, tmp_path: Path) -> None:
    if importlib.util.find_spec("lm_eval") is None:
        pytest.skip("lm-evaluation-harness is not installed: gyeol-evaluate[harness]")
    assert isinstance(suite.source, FileSource)
    docs = [
        {"prompt": item.messages[0].content, "letters": list("ABCD"), "answer": item.expected["answer"]}
        for item in file_items(suite.source, 1)
    ]
    data = benchmark.as_lines(tmp_path / "docs.jsonl", docs)
    task = {
        "task": "made_click",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{prompt}}",
        "doc_to_choice": "{{letters}}",
        "doc_to_target": "{{answer}}",
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0},
    }
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "made_click.yaml").write_text(json.dumps(task))
    source = HarnessSource(kind="harness", task="made_click", few_shot=0, data=str(tmp_path / "tasks"))
    measured = run_harness(harness_suite(source), source, Harness(folder, None, tmp_path / "cache"))
    ours = correct(suite, folder)
    theirs = [one.outcomes["acc"] for _, one in measured]
    assert [one.value for one in theirs if isinstance(one, Scored)] == [
        ours[name] for name in (f"KIIP_made_{n}" for n in range(24))
    ]
    assert 0 < sum(ours.values()) < 24, "a number that could differ"


def test_samples_of_the_harness_keep_their_subtask_and_the_first_filter(tmp_path: Path) -> None:
    source = HarnessSource(kind="harness", task="kmmlu", few_shot=5)
    row = {"doc_id": 0, "arguments": [("질문",)], "acc": 1.0, "filtered_resps": ["A"]}
    logged = {"kmmlu_law": [row, row | {"acc": 0.0}], "kmmlu_math": [row | {"doc_id": 3, "acc": float("nan")}]}
    (law, entry), (math, failed) = samples(harness_suite(source), logged)
    assert (law.id, law.stratum, entry.outcomes["acc"]) == ("kmmlu_law/0", "kmmlu_law", Scored(1.0))
    assert (math.id, failed.outcomes["acc"]) == ("kmmlu_math/3", Unscored("ModelFailed", "the harness gave no acc"))
    with pytest.raises(SuiteError, match="logged no samples"):
        samples(harness_suite(source), {})


def harness_suite(source: HarnessSource) -> Suite:
    return shipped()["kmmlu"].model_copy(update={"source": source})
