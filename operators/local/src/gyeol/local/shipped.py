"""What a run may name on this machine: the culture packs, gate policies and evaluation suites that are installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from gyeol.chassis import shipped
from gyeol.reconcile import reference
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.fault import Location


def complaints(run: AlignmentRun) -> Iterator[tuple[Location, str]]:
    """What the run names and nobody has: where it is written, and what is wrong with it.

    Of a deployable that is not installed nothing is known, which `gyeol doctor` says.
    """
    policy = run.spec.gate.policy_ref.name
    policies = shipped.files("gyeol.gate", "policies")
    suites = shipped.files("gyeol.evaluate", "suites")
    known = reference.Known(
        cultures=packs(),
        policies=[*policies, *([policy] if policies and Path(policy).is_file() else [])],
        suites={name: file.read_text(encoding="utf-8") for name, file in suites.items()},
    )
    return reference.complaints(run, known, _unseen)


def packs() -> dict[str, Path]:
    """The culture packs that the policy service would find from here, by name: of the first folder that has any."""
    here = Path.cwd()
    named = os.environ.get("POLICY_CULTURES")
    above = (folder / "cultures" for folder in (here, *here.parents))
    for place in [Path(named)] if named else [*above, Path(sys.prefix) / "share" / "gyeol" / "cultures"]:
        if found := {file.parent.name: file.parent for file in sorted(place.glob("*/pack.yaml"))}:
            return found
    return {}


def _unseen(path: str) -> str:
    return "" if Path(path).expanduser().exists() else "does not exist; fetch the data, or correct the path"
