"""The identity of a run: its name and a short hash of what it is to do."""

from __future__ import annotations

import hashlib
import json

from gyeol.reconcile.alignment import AlignmentRun, AlignmentRunSpec

SHORT = 8


def canonical(spec: AlignmentRunSpec) -> str:
    """The specification as canonical JSON: defaults filled in, keys sorted, no spaces.

    A default that is written out and one that is left out give the same text, hence the same run.
    """
    return json.dumps(
        spec.model_dump(mode="json", by_alias=True), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )


def spec_digest(spec: AlignmentRunSpec) -> str:
    return "sha256:" + hashlib.sha256(canonical(spec).encode()).hexdigest()


def run_id(run: AlignmentRun) -> str:
    """`<name>-<8 hexadecimal digits>`: a changed specification under the same name is another run."""
    return f"{run.metadata.name}-{spec_digest(run.spec).removeprefix('sha256:')[:SHORT]}"
