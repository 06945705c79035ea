"""What has to be equal for two evaluations to be comparable, and what identifies this one."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gyeol.chassis.chat import Endpoint
from gyeol.evaluate.data.place import files_digest, place
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.item import Item, set_digest
from gyeol.evaluate.suite import FileSource, Generation, Suite


@dataclass(frozen=True)
class Conditions:
    suites: list[Suite]
    culture: str
    endpoints: str
    """Name of the models file of the judges."""
    judges: list[str]
    law_as_of: str
    random_seed: int
    dataset: Path | None
    """Sealed dataset the model was trained on, for its digest."""
    endpoint: Endpoint | None = None
    """Where the model is served; None: it is only loaded from `model_dir`."""
    model_dir: Path | None = None
    """Folder of the model, for log-likelihood."""
    models: Path | None = None
    """Folder of the models file, for judges that rate."""
    cache: Path | None = None
    """Folder in which answers are kept."""
    calibration: Mapping[str, Any] = field(default_factory=dict)
    """How often the judges are right, by `suite/metric`."""

    def by_likelihood(self, suite: Suite) -> bool:
        """Whether a suite is scored by log-likelihood: the model is at hand and the suite can be."""
        return self.model_dir is not None and suite.likelihood is not None


ANSWER_SHARE = 4
"""An answer may take a quarter of the model's context: a question, its passage and a first answer need the rest."""


def within(suites: Sequence[Suite], context: int | None) -> list[Suite]:
    """The suites with answers that leave room for what is asked.

    Args:
      suites: As they were asked for.
      context: Most tokens of a prompt and its answer; None: unknown, and the suites stay as they are.
    """
    if context is None:
        return list(suites)
    longest = max(1, context // ANSWER_SHARE)
    return [
        suite.model_copy(
            update={"generation": Generation(max_tokens=min(suite.generation.max_tokens, longest))},
        )
        for suite in suites
    ]


def manifest(
    conditions: Conditions,
    model: Mapping[str, str],
    pack_digest: str,
    criteria_digest: str,
    evaluated: Sequence[tuple[Suite, Sequence[Item]]],
) -> dict[str, Any]:
    """The manifest before anything was measured; also what a restart has to find unchanged."""
    likelihood = sorted(suite.name for suite in conditions.suites if conditions.by_likelihood(suite))
    return {
        "schema": "gyeol.dev/evaluation/v1",
        **model,
        "dataset_digest": _dataset_digest(conditions.dataset),
        "pack_digest": pack_digest,
        "law_as_of": conditions.law_as_of,
        "runner_version": version("gyeol-evaluate"),
        "judges": {"names": conditions.judges, "criteria": f"sha256:{criteria_digest}"},
        "judged": [
            f"{suite.name}/{metric.name}" for suite in conditions.suites for metric in suite.metrics if metric.judged
        ],
        "calibration": dict(conditions.calibration),
        "generation": {
            "temperature": 0,
            "max_tokens": {suite.name: suite.generation.max_tokens for suite in conditions.suites},
            **({"likelihood": likelihood, "dtype": "float32"} if likelihood else {}),
        },
        "suites": {suite.name: _suite(suite, items) for suite, items in evaluated},
    }


def model_digest(folder: Path) -> str:
    """Digest of a model folder, as its manifest states it.

    Raises:
      SuiteError: The folder has no manifest.
    """
    path = folder / "manifest.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["digest"])
    except (OSError, ValueError, KeyError) as error:
        raise SuiteError(
            f"{path}: not the manifest of a model folder: {error}; make it with python -m gyeol.weights"
        ) from error


def _suite(suite: Suite, items: Sequence[Item]) -> dict[str, Any]:
    told = {
        "version": suite.version,
        "template": suite.template_hash,
        "items": len(items),
        "item_set": set_digest(items),
    }
    if isinstance(suite.source, FileSource):
        told["data"] = files_digest(place(suite.source.data).files())
    return told


def _dataset_digest(dataset: Path | None) -> str:
    if dataset is None:
        return ""
    path = dataset / "manifest.json"
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["digest"])
    except (OSError, ValueError, KeyError) as error:
        raise SuiteError(f"{path}: not the manifest of a sealed dataset: {error}") from error
