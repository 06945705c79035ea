"""What a model's fields alone cannot tell the API server: rules over several fields, what may change, and the keys of lists."""

from __future__ import annotations

from collections.abc import Mapping

from gyeol.reconcile.quantity import NAME_LIMIT
from gyeol.reconcile.rule import Rule
from gyeol.reconcile.spec.data import BUILTIN, BUILTIN_JUDGES, BUILTIN_WRITERS

LIST_KEYS: Mapping[str, str] = {
    "Training.loss": "name",
    "Evaluation.suites": "name",
    "Canary.analysis": "metric",
    "DataStatus.strata": "name",
    "AlignmentRunStatus.jobs": "name",
    "AlignmentRunStatus.metrics": "name",
    "AlignmentRunStatus.conditions": "type",
    "ModelPromotionStatus.measured": "metric",
    "ModelPromotionStatus.conditions": "type",
    "CulturePackStatus.conditions": "type",
}
"""Lists that are maps, with the field that tells their entries apart."""
SETS = ("Data.writers", "Data.judges")
"""Lists without repetition."""


def _fixed(field: str, remedy: str) -> Rule:
    return Rule(f"self.{field} == oldSelf.{field}", f"{field} is fixed; {remedy}")


def _fixed_when_present(field: str, remedy: str) -> Rule:
    both = f"has(self.{field}) == has(oldSelf.{field})"
    return Rule(f"{both} && (!has(self.{field}) || self.{field} == oldSelf.{field})", f"{field} is fixed; {remedy}")


def _builtin(field: str, known: tuple[str, ...]) -> Rule:
    names = ", ".join(f"'{name}'" for name in known)
    return Rule(
        f"self.endpointsRef.name != '{BUILTIN}' || self.{field}.all(one, one in [{names}])",
        f"{field} names one that is not built in; use {', '.join(known)}, or name a models file in endpointsRef.name",
    )


_NEW_RUN = "create a new run under another name"
_NEW_PROMOTION = "create a new promotion under another name"
_NAMED = Rule(
    f"size(self.metadata.name) <= {NAME_LIMIT} && self.metadata.name.matches('^[a-z]([a-z0-9-]*[a-z0-9])?$')",
    f"metadata.name is not a name; use at most {NAME_LIMIT} lower-case letters, digits and '-', starting with a letter",
)

RULES: Mapping[str, tuple[Rule, ...]] = {
    "AlignmentRun": (_NAMED,),
    "ModelPromotion": (_NAMED,),
    "CulturePack": (_NAMED,),
    "AlignmentRunSpec": (
        *(
            _fixed(field, _NEW_RUN)
            for field in ("culture", "baseModel", "data", "training", "evaluation", "gate", "serving")
        ),
        _fixed_when_present("promotion", _NEW_RUN),
    ),
    "Target": (
        Rule(
            "self.minimumPerStratum <= self.acceptedPerStratum",
            "minimumPerStratum is above acceptedPerStratum; lower it",
        ),
    ),
    "Data": (
        _builtin("writers", BUILTIN_WRITERS),
        _builtin("judges", BUILTIN_JUDGES),
        Rule(
            f"self.endpointsRef.name != '{BUILTIN}' || self.targetModel == 'base'",
            "targetModel names a model that the built-in endpoints do not define; use base, or name a models file in endpointsRef.name",
        ),
    ),
    "Training": (
        Rule(
            "self.loss.exists(term, term.name != 'sft')",
            'loss has no preference term; add one, for example {name: sigmoid, weight: "1.0"}',
        ),
        Rule(
            "double(self.warmupShare) < 1.0",
            'warmupShare is not below 1; write a decimal such as "0.1"',
        ),
    ),
    "Canary": (
        Rule(
            "self.steps[size(self.steps) - 1].percent == 100 && "
            "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14].all(i, "
            "i + 1 >= size(self.steps) || self.steps[i].percent < self.steps[i + 1].percent)",
            "steps do not rise to 100 percent; order them by percent and end with 100",
        ),
    ),
    "Analysis": (
        Rule(
            "(self.metric == 'SafeRate') == (self.direction == 'AtLeast')",
            "direction does not fit metric; a safe rate is good AtLeast, all others AtMost",
        ),
    ),
    "ModelPromotionSpec": (
        *(
            _fixed(field, _NEW_PROMOTION)
            for field in ("model", "environment", "strategy", "evidence", "service", "serving")
        ),
        _fixed_when_present("canary", _NEW_PROMOTION),
        Rule(
            "!has(self.canary) || self.strategy == 'Direct'",
            "canary needs strategy Direct; a pull request proposes, and what it merges is rolled out by itself",
        ),
        Rule("!oldSelf.rollback || self.rollback", f"rollback is not taken back; {_NEW_PROMOTION}"),
    ),
    "CulturePackSpec": (_fixed("culture", "create another CulturePack for another culture"),),
}
"""Rules by model. Those with `oldSelf` apply to updates only; none applies to a deletion."""
