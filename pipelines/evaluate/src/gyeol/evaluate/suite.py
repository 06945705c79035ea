"""Suites as data: where items come from, how answers are scored, which metrics come out."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.item import digest


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


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


class Metric(_Model):
    name: str
    direction: Literal["higher", "lower"]
    judged: bool
    """A judge measures it, so that the judge's errors matter."""


class Generation(_Model):
    max_tokens: Annotated[int, Field(ge=1, le=8192)]


class Suite(_Model):
    name: str
    version: str
    title_ko: str
    title_en: str
    source: Annotated[SeedSource | QuestionSource, Field(discriminator="kind")]
    scorer: Literal["response", "choice"]
    metrics: Annotated[list[Metric], Field(min_length=1)]
    generation: Generation

    @property
    def template_hash(self) -> str:
        """Changes when anything about the suite does, except how many items are drawn."""
        content = self.model_dump(mode="json")
        content["source"].pop("items", None)
        return digest(content)


class Wanted(_Model):
    """One entry of the run's `evaluation.suites`."""

    name: str
    items: Annotated[int, Field(ge=1, le=5000)] | None = None
    """Items to draw; absent: as many as the suite says."""
    data: str | None = None
    """Where the suite's public file lies, for suites that need one."""


def wanted_suites(path: Path) -> list[Suite]:
    """Reads the list of suites of a run (JSON) and resolves each by name.

    Raises:
      SuiteError: Names the file, the entry, the value and the remedy.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SuiteError(f"{path}: expected a JSON list of suites: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise SuiteError(f"{path}: expected a list of at least one suite")
    return [_resolved(path, number, entry) for number, entry in enumerate(entries)]


def shipped() -> dict[str, Suite]:
    """Every suite that ships with Gyeol, by name."""
    folder = resources.files("gyeol.evaluate") / "suites"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    suites = (Suite.model_validate(yaml.safe_load(file.read_text(encoding="utf-8"))) for file in files)
    return {suite.name: suite for suite in suites}


def _resolved(path: Path, number: int, entry: Any) -> Suite:
    try:
        wanted = Wanted.model_validate(entry)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise SuiteError(
            f"{path}: suites[{number}].{where}: {problem['msg']} (value: {problem['input']!r:.80})"
        ) from None
    known = shipped()
    suite = known.get(wanted.name)
    if suite is None:
        raise SuiteError(f"{path}: suites[{number}].name: no suite {wanted.name!r}; known are {', '.join(known)}")
    if wanted.items is not None:
        suite = suite.model_copy(update={"source": suite.source.model_copy(update={"items": wanted.items})})
    return suite
