"""The verdict as plain data: the JSON report, and what the other reports are rendered from."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from gyeol.gate.correction import JudgeError
from gyeol.gate.evidence import Evidence
from gyeol.gate.finding import Finding, StratumFinding
from gyeol.gate.interval import Interval
from gyeol.gate.verdict import Verdict

SCHEMA = "gyeol.dev/gate-verdict/v1"
_SAMPLE = ("true_positive", "positive", "true_negative", "negative")

NOTES = {
    "Pass": ("통과", "Every criterion holds.", "모든 기준을 지켰습니다."),
    "Fail": ("불합격", "At least one criterion does not hold.", "지키지 못한 기준이 있습니다."),
    "Inconclusive": (
        "판단 불가",
        "The evidence does not suffice. This is not a pass.",
        "근거가 충분하지 않습니다. 통과가 아닙니다.",
    ),
}


def document(verdict: Verdict, evidence: Evidence, made_at: str) -> dict[str, Any]:
    """Plain data of a verdict; numbers that are not finite become null."""
    return {
        "schema": SCHEMA,
        "verdict": verdict.result,
        "verdict_ko": NOTES[verdict.result][0],
        "summary": NOTES[verdict.result][1],
        "summary_ko": NOTES[verdict.result][2],
        "made_at": made_at,
        "policy": {
            "name": verdict.policy.metadata.name,
            "digest": verdict.policy.digest,
            "expires": str(verdict.policy.spec.expires),
        },
        "bound_to": dict(verdict.bound_to),
        "problems": [one.en for one in verdict.problems],
        "problems_ko": [one.ko for one in verdict.problems],
        "criteria": [_finding(one) for one in verdict.findings],
        "judges": _judges(evidence),
        "evidence": {
            "baseline": _side(evidence.baseline),
            "candidate": _side(evidence.candidate),
            "unscored": {
                f"{suite}/{metric}": dict(series.unscored)
                for (suite, metric), series in evidence.series.items()
                if series.unscored
            },
        },
        "method": {
            "alpha": str(verdict.policy.spec.alpha),
            "correction": "Holm over the superiority criteria",
            "intervals": "Wilson for unclustered proportions, BCa cluster bootstrap otherwise",
            "tests": "exact McNemar for unclustered binary outcomes, sign-flip permutation of clusters otherwise",
        },
    }


def _judges(evidence: Evidence) -> list[dict[str, Any]]:
    """How reliable each judged metric is: errors on the labelled sample, and items without a verdict."""
    found = []
    for name in evidence.candidate.get("judged") or ():
        suite, _, metric = str(name).partition("/")
        series = evidence.series.get((suite, metric))
        sample = (evidence.candidate.get("calibration") or {}).get(name)
        judge = JudgeError(**{key: int(sample[key]) for key in _SAMPLE}) if sample else None
        count = len(series.items) if series else 0
        found.append(
            {
                "metric": name,
                "sample": judge.positive + judge.negative if judge else 0,
                "sensitivity": _finite(judge.sensitivity) if judge else None,
                "specificity": _finite(judge.specificity) if judge else None,
                "unjudged": {
                    side: _finite(sum(n for key, n in series.unscored.items() if key == f"{side}/JudgeFailed") / count)
                    if series and count
                    else None
                    for side in ("baseline", "candidate")
                },
            }
        )
    return found


def _finding(one: Finding) -> dict[str, Any]:
    criterion = one.criterion
    return {
        "name": criterion.name,
        "kind": criterion.kind,
        "suite": criterion.suite,
        "metric": criterion.metric,
        "result": one.result,
        "code": one.reason.code,
        "reason": one.reason.en,
        "reason_ko": one.reason.ko,
        "p": _finite(one.p),
        "adjusted_p": _finite(one.adjusted_p),
        "mcnemar_p": _finite(one.mcnemar_p),
        "effective_items": _finite(one.effective_items),
        "power": _finite(one.power),
        "minimal_detectable_effect": _finite(one.minimal_detectable_effect),
        "overall": None if one.overall is None else _numbers(one.overall),
        "strata": [_numbers(stratum) for stratum in one.strata],
    }


def _numbers(found: StratumFinding) -> dict[str, Any]:
    return {
        "stratum": found.stratum,
        "baseline": _interval(found.baseline),
        "candidate": _interval(found.candidate),
        "change": _interval(found.change),
    }


def _interval(value: Interval) -> dict[str, Any]:
    return {"estimate": _finite(value.estimate), "low": _finite(value.low), "high": _finite(value.high), "n": value.n}


def _finite(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else round(float(value), 6)


def _side(manifest: Mapping[str, Any]) -> dict[str, Any]:
    shown = (
        "model",
        "model_digest",
        "dataset_digest",
        "pack_digest",
        "law_as_of",
        "runner_version",
        "suites",
        "judges",
        "made_at",
    )
    return {name: manifest[name] for name in shown if name in manifest}
