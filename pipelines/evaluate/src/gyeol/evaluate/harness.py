"""Tasks of lm-evaluation-harness, asked and scored by the harness; its samples become items with outcomes.

The harness averages over items (micro); papers often average over subjects (macro). Every sample keeps its subtask, so both
figures follow: the mean and the derived macro average.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.chassis.chat import Endpoint, Message
from gyeol.evaluate.data.place import place
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.item import Item
from gyeol.evaluate.journal import Entry
from gyeol.evaluate.outcome import Outcome, Scored, Unscored
from gyeol.evaluate.suite import HarnessSource, Suite

INSTALL = "install gyeol-evaluate[harness] to run tasks of lm-evaluation-harness"


@dataclass(frozen=True)
class Harness:
    """Where the model is, for the harness."""

    model_dir: Path | None
    endpoint: Endpoint | None
    """One of the two is given; the folder goes first."""
    cache: Path
    """File prefix under which the harness keeps answers, for a restart."""

    @property
    def model(self) -> tuple[str, dict[str, Any]]:
        """Model type and arguments of the harness."""
        if self.model_dir is not None or self.endpoint is None:
            import torch

            device = "cuda" if torch.cuda.is_available() else "cpu"
            return "hf", {"pretrained": str(self.model_dir), "dtype": "float32", "device": device}
        url = self.endpoint.base_url.rstrip("/") + "/chat/completions"
        return "local-chat-completions", {
            "model": self.endpoint.model, "base_url": url, "num_concurrent": self.endpoint.concurrency, "tokenized_requests": False,
        }  # fmt: skip


def run_harness(suite: Suite, source: HarnessSource, harness: Harness) -> list[tuple[Item, Entry]]:
    """Runs the suite's task and gives its samples; blocks until it is done.

    Raises:
      SuiteError: The harness is not installed, does not know the task, or cannot run it on this model.
    """
    try:
        import lm_eval
        from lm_eval.tasks import TaskManager
    except ModuleNotFoundError:
        raise SuiteError(f"suite {suite.name}: {INSTALL}") from None
    kind, arguments = harness.model
    folder = str(place(source.data).path) if source.data else None
    try:
        results: Any = lm_eval.simple_evaluate(
            model=kind,
            model_args=arguments,
            tasks=[source.task],
            num_fewshot=source.few_shot,
            batch_size=8 if kind == "hf" else 1,
            limit=source.items,
            use_cache=str(harness.cache),
            bootstrap_iters=0,
            apply_chat_template=kind != "hf",
            task_manager=TaskManager(include_path=folder),
        )
    except NotImplementedError as error:
        raise SuiteError(
            f"suite {suite.name}: task {source.task} needs log-likelihoods, which a chat endpoint does not give; add --model-dir"
        ) from error
    except (KeyError, ValueError, OSError) as error:
        raise SuiteError(f"suite {suite.name}: the harness cannot run {source.task}: {error}") from error
    return samples(suite, results["samples"])


def samples(suite: Suite, logged: Mapping[str, Iterable[Mapping[str, Any]]]) -> list[tuple[Item, Entry]]:
    """Items and entries of the samples the harness logged, by subtask; of several filters the first one counts."""
    found: list[tuple[Item, Entry]] = []
    for task, rows in sorted(logged.items()):
        seen: set[int] = set()
        for row in rows:
            number = int(row["doc_id"])
            if number not in seen:
                seen.add(number)
                found.append(_sample(suite, task, number, row))
    if not found:
        raise SuiteError(f"suite {suite.name}: the harness logged no samples")
    return found


def _sample(suite: Suite, task: str, number: int, row: Mapping[str, Any]) -> tuple[Item, Entry]:
    arguments = row.get("arguments") or [("",)]
    prompt = str(arguments[0][0] if not isinstance(arguments, Mapping) else next(iter(arguments.values()))["arg_0"])
    key = f"{task}/{number}"
    item = Item(key, (Message("user", prompt),), task, key, {}, {"task": task})
    outcomes = {metric.name: _outcome(row, metric.name) for metric in suite.metrics}
    reply = row.get("filtered_resps") or row.get("resps") or ""
    return item, Entry(suite.name, key, str(reply)[:20_000], "harness", outcomes)


def _outcome(row: Mapping[str, Any], metric: str) -> Outcome:
    value = row.get(metric)
    if not isinstance(value, int | float) or not math.isfinite(value):
        return Unscored("ModelFailed", f"the harness gave no {metric}")
    return Scored(float(value))
