"""What came out of a run: read from its folder alone, so that a finished run is shown without starting anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from gyeol.local.errors import InputError
from gyeol.local.home import RunFolder
from gyeol.local.kept import NO_BOOKS, Books, Criterion, Judgement, Measure, Measures, Training, kept
from gyeol.reconcile.condition import ConditionType, found
from gyeol.reconcile.status import AlignmentRunStatus


@dataclass(frozen=True)
class Comparison:
    """One metric before and after."""

    suite: str
    metric: str
    before: Measure | None
    after: Measure | None


@dataclass(frozen=True)
class Result:
    """What came out of a run."""

    run_id: str
    state: str
    verdict: str
    why: str
    seeds: int
    answered: int
    """Seeds that got the answer to learn from: harmful ones whose attack succeeded, and benign ones."""
    drops: Mapping[str, int]
    failures: int
    accepted_harmful: int
    accepted_benign: int
    calls: int
    cached_calls: int
    training: Mapping[str, float]
    comparisons: tuple[Comparison, ...]
    criteria: tuple[Criterion, ...]
    dataset: str = ""
    model: str = ""
    report: str = ""
    deficits: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return to_jsonable_python(asdict(self), by_alias=True)  # type: ignore[no-any-return]


def status_of(folder: RunFolder) -> AlignmentRunStatus:
    """The status that was stored last.

    Raises:
      InputError: Something else wrote the file.
    """
    stored = folder.read(folder.status)
    try:
        return AlignmentRunStatus.model_validate(_as_tuples(stored)) if stored else AlignmentRunStatus()
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{folder.status}: {field}: {first['msg']}; restore the file, or delete it: the run then goes on from what it made"
        ) from None


def result_of(folder: RunFolder) -> Result:
    """Everything that is known about a run.

    Raises:
      InputError: Something else wrote one of its files.
    """
    status = status_of(folder)
    books = kept(folder.account, Books) or NO_BOOKS
    judged = kept(folder.gate / "verdict.json", Judgement) or Judgement()
    end = found(status.conditions, ConditionType.SUCCEEDED)
    answered = {one.stage: one.results for one in books.stages}.get("candidate", 0)
    report = folder.gate / "report.html"
    return Result(
        run_id=folder.run_id,
        state=status.state,
        verdict=status.verdict,
        why=judged.summary or (end.message if end else ""),
        seeds=books.inputs,
        answered=answered,
        drops=books.drops,
        failures=books.failures,
        accepted_harmful=books.triplets - books.benign_triplets,
        accepted_benign=books.benign_triplets,
        calls=books.calls,
        cached_calls=books.cached_calls,
        training=_training(folder),
        comparisons=_comparisons(folder),
        criteria=judged.criteria,
        dataset=str(folder.dataset) if (folder.dataset / "manifest.json").is_file() else "",
        model=str(folder.training / "model") if (folder.training / "manifest.json").is_file() else "",
        report=str(report) if report.is_file() else "",
        deficits={row.name: f"{row.accepted}/{row.target}" for row in status.data.strata if row.accepted < row.target},
    )


def _training(folder: RunFolder) -> dict[str, float]:
    trained = kept(folder.training / "manifest.json", Training) or Training()
    return {name: float(value) for name, value in trained.training.items() if isinstance(value, (int, float))}


def _comparisons(folder: RunFolder) -> tuple[Comparison, ...]:
    before, after = (_measures(folder, side) for side in ("baseline", "candidate"))
    keys = list(dict.fromkeys([*before, *after]))
    return tuple(
        Comparison(suite, metric, before.get((suite, metric)), after.get((suite, metric))) for suite, metric in keys
    )


def _measures(folder: RunFolder, side: str) -> dict[tuple[str, str], Measure]:
    measured = kept(folder.evaluation(side) / "manifest.json", Measures) or Measures()
    return {(one.suite, one.metric): one for one in measured.summary}


def _as_tuples(value: Any) -> Any:
    """JSON lists as the tuples that frozen models hold."""
    if isinstance(value, list):
        return tuple(_as_tuples(one) for one in value)
    if isinstance(value, dict):
        return {key: _as_tuples(one) for key, one in value.items()}
    return value
