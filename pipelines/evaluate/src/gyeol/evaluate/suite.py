"""Suites as data: where items come from, how answers are scored, which metrics come out."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from gyeol.evaluate.item import digest


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


Count = Annotated[int, Field(ge=1, le=100_000)]


class SeedSource(_Model):
    """Questions of the seed service."""

    kind: Literal["seeds"]
    seed_kind: Literal["harmful", "benign"]
    split: Literal["train", "held-out"]
    items: Annotated[int, Field(ge=1, le=5000)]


class QuestionSource(_Model):
    """Multiple-choice questions of the culture pack."""

    kind: Literal["questions"]
    items: Annotated[int, Field(ge=1, le=5000)]
    """Questions to ask."""
    rotations: Annotated[int, Field(ge=1, le=10)] = 1
    """How often each is asked, at most once per choice; its choices move on by one place every time."""


class FileSource(_Model):
    """A public file that the user brings, read as it was published."""

    kind: Literal["file"]
    format: str
    """Name of a module of `gyeol.evaluate.format`."""
    options: Mapping[str, str] = {}
    """What the format leaves open: a part of the file, a setting."""
    columns: Mapping[str, list[str]] = {}
    """Spellings of the columns, for a file whose column names are not documented."""
    prompts: list[str] = []
    """Templates with `{field}` places; with several, every row is asked once under each."""
    items: Count | None = None
    """Items to draw, whole clusters together; absent: all."""
    data: str = ""
    """Address of the file; comes from the run."""


class HarnessSource(_Model):
    """A task of lm-evaluation-harness, asked and scored by the harness itself."""

    kind: Literal["harness"]
    task: str
    few_shot: Annotated[int, Field(ge=0, le=32)]
    items: Count | None = None
    """Documents per subtask; absent: all."""
    data: str = ""
    """Folder with further task files (`--include_path` of the harness)."""


Source = Annotated[SeedSource | QuestionSource | FileSource | HarnessSource, Field(discriminator="kind")]
Scorer = Literal[
    "response", "choice", "social-value", "bias", "emotion", "rating", "term", "citation", "program", "harness"
]


class Metric(_Model):
    name: str
    direction: Literal["higher", "lower"]
    judged: bool
    """A judge measures it, so that the judge's errors matter."""
    judged_by: str = ""
    """For the rating scorer: criterion of `gyeol.evaluate.scorer.criteria`."""


class Derived(_Model):
    """A figure that is no mean over items: a macro average, a difference, a ratio."""

    name: str
    kind: Literal["mean", "difference", "macro", "ratio", "unanswered"]
    metric: str
    where: Mapping[str, str] = {}
    """Only items whose groups hold these values."""
    minus: Mapping[str, str] = {}
    """Of `difference`: items whose mean is taken away."""
    over: str = ""
    """Of `macro`: group whose values weigh the same."""
    of: str = ""
    """Of `ratio`: metric whose sum is the denominator."""
    average_over: str = ""
    """Group by whose values the figure is taken apart and then averaged, for example `prompt`."""


class Generation(_Model):
    max_tokens: Annotated[int, Field(ge=1, le=8192)]


class Likelihood(_Model):
    """How a multiple-choice item is scored by log-likelihood."""

    continuations: Literal["marks", "texts"]
    """What is scored after the prompt: ` A`, ` B` …, or the texts of the options."""
    normalise: Literal["none", "characters"] = "none"
    """`characters`: log-likelihood per character of the continuation (`acc_norm` of the harness)."""


class Suite(_Model):
    name: str
    version: str
    title_ko: str
    title_en: str
    licence: str = ""
    """Terms of the data, which stays with the user."""
    source: Source
    scorer: Scorer
    metrics: Annotated[list[Metric], Field(min_length=1)]
    derived: list[Derived] = []
    generation: Generation
    likelihood: Likelihood | None = None
    """Absent: the suite needs generated text."""
    counts: Mapping[str, int | Mapping[str, int]] = {}
    """Published counts: `rows`, `items`, and per group; `gyeol eval inspect` compares them."""

    @property
    def template_hash(self) -> str:
        """Changes when anything about the suite does, except how many items are drawn and where the file lies."""
        content = self.model_dump(mode="json", exclude={"counts", "licence"})
        for name in ("items", "data", "columns"):
            content["source"].pop(name, None)
        return digest(content)

    @property
    def judged(self) -> bool:
        return any(metric.judged for metric in self.metrics)


def shipped() -> dict[str, Suite]:
    """Every suite that ships with Gyeol, by name."""
    folder = resources.files("gyeol.evaluate") / "suites"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    suites = (Suite.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in files)
    return {suite.name: suite for suite in suites}
