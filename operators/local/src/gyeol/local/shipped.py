"""What a run names and other deployables ship: culture packs, gate policies and evaluation suites.

They are read as data, because deployables do not import each other, and before anything is started: the jobs that use them come last,
when hours of work and the bills of model endpoints lie behind.
"""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Collection, Iterator
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import yaml

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.fault import Location
from gyeol.reconcile.spec.evaluation import Suite

_READ_BY_USER = frozenset({"file", "harness"})
"""Kinds of sources that may be told where data lies."""


def complaints(run: AlignmentRun) -> Iterator[tuple[Location, str]]:
    """What the run names and nobody has: where it is written, and what is wrong with it."""
    known = packs()
    if known and run.spec.culture.name not in known:
        yield ("spec", "culture", "name"), _unknown(run.spec.culture.name, "culture pack", known)
    policies = _files("gyeol.gate", "policies")
    policy = run.spec.gate.policy_ref.name
    if policies and policy not in policies and not Path(policy).is_file():
        yield ("spec", "gate", "policyRef", "name"), _unknown(policy, "gate policy", policies)
    suites = _files("gyeol.evaluate", "suites")
    for number, suite in enumerate(run.spec.evaluation.suites):
        at: Location = ("spec", "evaluation", "suites", number)
        if suites and suite.name not in suites:
            yield (*at, "name"), _unknown(suite.name, "evaluation suite", suites)
        elif suites and (wrong := _data(suite, suites[suite.name])):
            yield (*at, "data"), wrong


def packs() -> dict[str, Path]:
    """The culture packs that the policy service would find from here, by name: of the first folder that has any."""
    here = Path.cwd()
    named = os.environ.get("POLICY_CULTURES")
    above = (folder / "cultures" for folder in (here, *here.parents))
    for place in [Path(named)] if named else [*above, Path(sys.prefix) / "share" / "gyeol" / "cultures"]:
        if found := {file.parent.name: file.parent for file in sorted(place.glob("*/pack.yaml"))}:
            return found
    return {}


def _files(package: str, folder: str) -> dict[str, Path]:
    """The files that an installed package ships, by name; none when it is not installed, which `gyeol doctor` says."""
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec is not None else None
    return {file.stem: file for place in places or () for file in sorted((Path(place) / folder).glob("*.yaml"))}


def _unknown(name: str, noun: str, known: Collection[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean '{near[0]}'? " if near else ""
    return f"'{name}' is no {noun}; {meant}There are {', '.join(known)}"


def _data(suite: Suite, file: Path) -> str:
    """What is wrong with the place of a suite's data; empty: nothing that can be seen from here."""
    kind = yaml.safe_load(file.read_text(encoding="utf-8"))["source"]["kind"]
    if not suite.data:
        needed = kind == "file"
        return f"is required: {suite.name} reads a public file; name its path or hf:owner/name" if needed else ""
    if kind not in _READ_BY_USER:
        return f"'{suite.data}' is not read: {suite.name} takes no data; remove the field"
    parts = urlsplit(suite.data)
    if parts.scheme not in ("", "file"):
        return ""
    path = Path(unquote(parts.path)) if parts.scheme else Path(suite.data).expanduser()
    return "" if path.exists() else f"'{suite.data}' does not exist; fetch the data, or correct the path"
