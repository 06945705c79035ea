"""The files of a run folder as those who show them need them: one of another shape is refused by its field, with the remedy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from gyeol.local.errors import InputError

AGAIN = "restore the file, or delete it: what it stands for is then done again"
"""The remedy where the run goes on by itself."""
ANEW = "restore the file, or delete it and status.json and give the same gyeol run again: both are written anew"
"""The remedy where a finished run would not look at it any more."""

T = TypeVar("T", bound=BaseModel)


class _Kept(BaseModel):
    """What else a file holds is for others."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class StageBooks(_Kept):
    """The books of one stage."""

    stage: str
    inputs: int
    results: int
    drops: int
    failures: int
    pending: int


class Books(_Kept):
    """`account.json`."""

    inputs: int
    triplets: int
    benign_triplets: int
    drops: Mapping[str, int]
    failures: int
    calls: int
    cached_calls: int
    balanced: bool
    stages: tuple[StageBooks, ...]


NO_BOOKS = Books(
    inputs=0, triplets=0, benign_triplets=0, drops={}, failures=0, calls=0, cached_calls=0, balanced=False, stages=()
)
"""Of a run that has not begun."""


class Criterion(_Kept):
    """One criterion of a gate, and what became of it."""

    name: str = ""
    result: str = ""
    reason: str = ""
    reason_ko: str = ""


class Judgement(_Kept):
    """`verdict.json`."""

    summary: str = ""
    criteria: tuple[Criterion, ...] = ()


class Training(_Kept):
    """The manifest of a training."""

    training: Mapping[str, JsonValue] = Field(default_factory=dict)


class Measure(_Kept):
    """One metric of one model."""

    suite: str
    metric: str
    mean: float | None
    """None: nothing could be scored."""
    low: float | None
    high: float | None
    scored: int
    items: int


class Measures(_Kept):
    """The manifest of an evaluation."""

    summary: tuple[Measure, ...] = ()


class Proof(_Kept):
    """The manifest of any job: that it is done, and what it made."""

    digest: str = ""
    verdict: Literal["", "Pass", "Fail", "Inconclusive"] = ""
    summary: JsonValue = ""


def kept(path: Path, shape: type[T], remedy: str = ANEW) -> T | None:
    """The file; None when there is none.

    Raises:
      InputError: It is cut short, or of another shape.
    """
    try:
        return shape.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        what = "is empty or cut short" if first["type"] == "json_invalid" else first["msg"]
        raise InputError(f"{path}: {f'{field}: ' if field else ''}{what}; {remedy}") from None
