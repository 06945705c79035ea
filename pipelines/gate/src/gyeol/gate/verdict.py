"""The verdict: every criterion together, bound to the digests it was reached for.

Fail when anything failed, else Inconclusive when anything could not be shown, else Pass.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gyeol.gate.correction import JudgeError, holm
from gyeol.gate.criterion import finding, settled
from gyeol.gate.evidence import Evidence
from gyeol.gate.finding import Context, Finding, Result
from gyeol.gate.policy import GatePolicy
from gyeol.gate.sentence import Reason

SEED = 20260606
"""Fixes every resampling: the same evidence always yields the same verdict."""


@dataclass(frozen=True)
class Verdict:
    result: Result
    findings: tuple[Finding, ...]
    problems: tuple[Reason, ...]
    """Why the two sides cannot be compared, or the policy does not hold any more."""
    policy: GatePolicy
    bound_to: Mapping[str, str]
    """Digests of model, baseline, dataset, pack and policy, and the date of the law."""


def verdict(policy: GatePolicy, evidence: Evidence, today: dt.date, strata: bool = True) -> Verdict:
    """Judges the evidence under the policy; pure. Without `strata`, those that no criterion needs are left out."""
    problems = list(evidence.problems)
    if today >= policy.spec.expires:
        problems.append(Reason("expired", policy=policy.metadata.name, expires=str(policy.spec.expires)))
    context = Context(policy.spec, SEED, _calibration(evidence.candidate), _judged(evidence.candidate), strata)
    found = [
        Finding(criterion, "Inconclusive", Reason("unread"))
        if evidence.unread
        else finding(criterion, evidence.series.get((criterion.suite, criterion.metric)), context)
        for criterion in policy.spec.criteria
    ]
    adjusted = holm({one.criterion.name: one.p for one in found if one.p is not None})
    findings = tuple(settled(one, adjusted.get(one.criterion.name, float("nan")), policy.spec) for one in found)
    return Verdict(_result(findings, problems), findings, tuple(problems), policy, _bound_to(policy, evidence))


def _result(findings: tuple[Finding, ...], problems: list[Reason]) -> Result:
    results = {one.result for one in findings}
    if problems:
        # Numbers that cannot be compared prove nothing, not even a failure.
        return "Inconclusive"
    if "Fail" in results:
        return "Fail"
    return "Pass" if results == {"Pass"} else "Inconclusive"


def _calibration(manifest: Mapping[str, Any]) -> dict[tuple[str, str], JudgeError]:
    found = {}
    for key, sample in (manifest.get("calibration") or {}).items():
        suite, _, metric = key.partition("/")
        found[suite, metric] = JudgeError(
            int(sample["true_positive"]), int(sample["positive"]), int(sample["true_negative"]), int(sample["negative"])
        )
    return found


def _judged(manifest: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    pairs = (key.partition("/") for key in manifest.get("judged") or ())
    return frozenset((suite, metric) for suite, _, metric in pairs)


def _bound_to(policy: GatePolicy, evidence: Evidence) -> dict[str, str]:
    return {
        "model": str(evidence.candidate.get("model_digest", "")),
        "baseline": str(evidence.baseline.get("model_digest", "")),
        "dataset": str(evidence.candidate.get("dataset_digest", "")),
        "pack": str(evidence.candidate.get("pack_digest", "")),
        "policy": policy.digest,
        "law_as_of": str(evidence.candidate.get("law_as_of", "")),
    }
