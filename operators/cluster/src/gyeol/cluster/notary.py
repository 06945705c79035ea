"""Has the ledger know what a witness verified."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import grpc.aio

from gyeol.api.ledger.v1.ledger_pb2 import Artifact, RecordArtifactRequest
from gyeol.api.ledger.v1.ledger_pb2_grpc import ArtifactServiceStub
from gyeol.chassis.errors import InvalidError, Meaning, NotReadyError
from gyeol.chassis.outcomes import meaning_of
from gyeol.chassis.rpc import channel
from gyeol.cluster.report import Report
from gyeol.reconcile.seen import Job

_KIND = {
    Job.WEIGHTS: "model",
    Job.TRAIN: "model",
    Job.EVALUATE_BASELINE: "evaluation",
    Job.EVALUATE_CANDIDATE: "evaluation",
    Job.GATE: "gate-verdict",
    Job.PROMOTE: "promotion",
}
"""What the ledger calls a result. Preflight leaves none: its report suffices."""
_INPUTS = ("base_digest", "dataset_digest", "model_digest", "baseline_digest", "candidate_digest")
"""Where manifests name what they were made from."""


def _inputs(manifest: Mapping[str, Any]) -> list[str]:
    told = [manifest.get(name) for name in _INPUTS] + [one.get("model_digest") for one in _sides(manifest)]
    return [str(one) for one in told if one]


def _sides(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    evidence = manifest.get("evidence")
    return [one for one in evidence.values() if isinstance(one, Mapping)] if isinstance(evidence, Mapping) else []


async def recorded(report: Report, manifest: str, run_id: str, attempt: int, address: str) -> None:
    """Records a result.

    Raises:
      NotReadyError: The ledger cannot be reached; the job is tried again.
      InvalidError: The ledger does not take it.
    """
    kind = _KIND.get(Job(report.job))
    if kind is None:
        return
    found = json.loads(manifest)
    opened = channel(address)
    try:
        artifact = Artifact(
            kind=kind,
            digest=report.digest,
            run_id=run_id,
            location=report.location,
            inputs=_inputs(found),
            manifest_json=json.dumps({**found, "attempt": attempt}, ensure_ascii=False),
        )
        await ArtifactServiceStub(opened).RecordArtifact(RecordArtifactRequest(artifact=artifact))
    except grpc.aio.AioRpcError as error:
        if meaning_of(error) is Meaning.INVALID:
            raise InvalidError(f"the ledger refuses the result: {error.details()}") from None
        raise NotReadyError(f"the ledger at {address} cannot be reached: {error.details()}") from None
    finally:
        await opened.close()
