"""The identity of a run: its name and a short hash of what it is to do."""

from __future__ import annotations

import hashlib
import json

from gyeol.reconcile.alignment import AlignmentRun, AlignmentRunSpec

SHORT = 8


def canonical(spec: AlignmentRunSpec) -> str:
    """The specification as canonical JSON: defaults filled in, keys sorted, no spaces.

    A default that is written out and one that is left out give the same text, hence the same run.
    `suspend` is left out: a run that is held is the same run.
    """
    value = spec.model_dump(mode="json", by_alias=True, exclude={"suspend"})
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def spec_digest(spec: AlignmentRunSpec) -> str:
    return "sha256:" + hashlib.sha256(canonical(spec).encode()).hexdigest()


def run_id(run: AlignmentRun) -> str:
    """`<name>-<8 hexadecimal digits>`: a changed specification under the same name is another run.

    On a cluster the digits also depend on the object's UID: a run that is deleted and made again inherits nothing.
    """
    digest = spec_digest(run.spec).removeprefix("sha256:")
    if run.metadata.uid:
        digest = hashlib.sha256(f"{run.metadata.uid}/{digest}".encode()).hexdigest()
    return f"{run.metadata.name}-{digest[:SHORT]}"
