"""What came out of a run: read from its folder alone, so that a finished run is shown without starting anything."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import ValidationError

from gyeol.local.errors import InputError
from gyeol.local.home import RunFolder
from gyeol.reconcile.condition import ConditionType, found
from gyeol.reconcile.status import AlignmentRunStatus


@dataclass(frozen=True)
class Measure:
    """One metric of one model."""

    suite: str
    metric: str
    mean: float | None
    """None: nothing could be scored."""
    low: float | None
    high: float | None
    scored: int
    items: int


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
    mined: int
    drops: Mapping[str, int]
    failures: int
    accepted_harmful: int
    accepted_benign: int
    calls: int
    cached_calls: int
    training: Mapping[str, float]
    comparisons: tuple[Comparison, ...]
    criteria: tuple[Mapping[str, Any], ...]
    dataset: str = ""
    model: str = ""
    report: str = ""
    deficits: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


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
    """Everything that is known about a run."""
    status = status_of(folder)
    account = folder.read(folder.account)
    verdict = folder.read(folder.gate / "verdict.json")
    end = found(status.conditions, ConditionType.SUCCEEDED)
    stages = {one["stage"]: one for one in account.get("stages", [])}
    benign = int(account.get("benign_triplets", 0))
    report = folder.gate / "report.html"
    return Result(
        run_id=folder.run_id,
        state=status.state,
        verdict=status.verdict,
        why=str(verdict.get("summary") or (end.message if end else "")),
        seeds=int(account.get("inputs", 0)),
        mined=int(stages.get("candidate", {}).get("results", 0)),
        drops={reason: int(count) for reason, count in account.get("drops", {}).items()},
        failures=int(account.get("failures", 0)),
        accepted_harmful=int(account.get("triplets", 0)) - benign,
        accepted_benign=benign,
        calls=int(account.get("calls", 0)),
        cached_calls=int(account.get("cached_calls", 0)),
        training=_training(folder),
        comparisons=_comparisons(folder),
        criteria=tuple(
            {key: one.get(key, "") for key in ("name", "result", "reason", "reason_ko")}
            for one in verdict.get("criteria", [])
        ),
        dataset=str(folder.dataset) if (folder.dataset / "manifest.json").is_file() else "",
        model=str(folder.training / "model") if (folder.training / "manifest.json").is_file() else "",
        report=str(report) if report.is_file() else "",
        deficits={row.name: f"{row.accepted}/{row.target}" for row in status.data.strata if row.accepted < row.target},
    )


def _training(folder: RunFolder) -> dict[str, float]:
    metrics = folder.read(folder.training / "manifest.json").get("training", {})
    return {name: float(value) for name, value in metrics.items() if isinstance(value, (int, float))}


def _comparisons(folder: RunFolder) -> tuple[Comparison, ...]:
    before, after = (_measures(folder, side) for side in ("baseline", "candidate"))
    keys = list(dict.fromkeys([*before, *after]))
    return tuple(
        Comparison(suite, metric, before.get((suite, metric)), after.get((suite, metric))) for suite, metric in keys
    )


def _measures(folder: RunFolder, side: str) -> dict[tuple[str, str], Measure]:
    rows = folder.read(folder.evaluation(side) / "manifest.json").get("summary", [])
    measures = (
        Measure(one["suite"], one["metric"], one["mean"], one["low"], one["high"], one["scored"], one["items"])
        for one in rows
    )
    return {(one.suite, one.metric): one for one in measures}


def _as_tuples(value: Any) -> Any:
    """JSON lists as the tuples that frozen models hold."""
    if isinstance(value, list):
        return tuple(_as_tuples(one) for one in value)
    if isinstance(value, dict):
        return {key: _as_tuples(one) for key, one in value.items()}
    return value
