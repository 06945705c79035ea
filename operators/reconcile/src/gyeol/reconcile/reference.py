"""What a run names and other deployables have: culture packs, gate policies, evaluation suites and their data.

Both hands ask before anything is started: the jobs that use them come last, when hours of work and the bills of model endpoints lie behind.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

import yaml

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.fault import Location
from gyeol.reconcile.seen import nothing
from gyeol.reconcile.spec.evaluation import Suite

MOST_DRAWN = 5000
"""Most items of a suite whose items are made: the seed service hands out no more at once."""
_READ_BY_USER = frozenset({"file", "harness"})
"""Kinds of sources that may be told where data lies."""
_MADE = frozenset({"seeds", "questions"})
"""Kinds of sources whose items Gyeol makes from the culture pack."""


@dataclass(frozen=True)
class Known:
    """What there is to be named. Of what is empty a hand knows nothing, and refuses nothing."""

    cultures: Collection[str] = ()
    """Names of culture packs."""
    policies: Collection[str] = ()
    """Names of gate policies."""
    suites: Mapping[str, str] = field(default_factory=nothing)
    """Evaluation suites by name, each as the YAML that its deployable ships."""


def complaints(run: AlignmentRun, known: Known, unseen: Callable[[str], str]) -> Iterator[tuple[Location, str]]:
    """What the run names and nobody has: where it is written, and what is wrong with it.

    Args:
      run: The run.
      known: What there is.
      unseen: What is wrong with a path of data, as far as the hand sees it, with the remedy; empty: nothing.
    """
    if known.cultures and run.spec.culture.name not in known.cultures:
        yield ("spec", "culture", "name"), _unknown(run.spec.culture.name, "culture pack", known.cultures)
    policy = run.spec.gate.policy_ref.name
    if known.policies and policy not in known.policies:
        yield ("spec", "gate", "policyRef", "name"), _unknown(policy, "gate policy", known.policies)
    for number, suite in enumerate(run.spec.evaluation.suites):
        at: Location = ("spec", "evaluation", "suites", number)
        if known.suites and suite.name not in known.suites:
            yield (*at, "name"), _unknown(suite.name, "evaluation suite", known.suites)
        elif known.suites:
            kind = yaml.safe_load(known.suites[suite.name])["source"]["kind"]
            if wrong := _data(suite, kind, unseen):
                yield (*at, "data"), wrong
            if kind in _MADE and (suite.items or 0) > MOST_DRAWN:
                yield (*at, "items"), f"{suite.items} is more than {suite.name} can make; ask for at most {MOST_DRAWN}"


def _unknown(name: str, noun: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean '{near[0]}'? " if near else ""
    return f"'{name}' is no {noun}; {meant}There are {', '.join(known)}"


def _data(suite: Suite, kind: str, unseen: Callable[[str], str]) -> str:
    """What is wrong with the place of a suite's data; empty: nothing that can be seen from here."""
    if not suite.data:
        needed = kind == "file"
        return f"is required: {suite.name} reads a public file; name its path or hf:owner/name" if needed else ""
    if kind not in _READ_BY_USER:
        return f"'{suite.data}' is not read: {suite.name} takes no data; remove the field"
    parts = urlsplit(suite.data)
    if parts.scheme not in ("", "file"):
        return ""
    wrong = unseen(unquote(parts.path) if parts.scheme else suite.data)
    return f"'{suite.data}' {wrong}" if wrong else ""
