"""Who gets which share of the traffic: what an InferenceService asks for, and what its status confirms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gyeol.cluster.client import Object
from gyeol.reconcile.manifest import promotion as built
from gyeol.reconcile.manifest.inferenceservice import DIGEST_ANNOTATION
from gyeol.reconcile.manifest.outcome import condition
from gyeol.reconcile.rollout.seen import ServiceSeen


def service_seen(found: Object, mode: str) -> ServiceSeen:
    """What an InferenceService says about itself: what its object asks for, and what its status confirms."""
    notes = found["metadata"].get("annotations") or {}
    spec, status = found["spec"], found.get("status") or {}
    settled = (
        status.get("observedGeneration", 0) >= found["metadata"]["generation"]
        and condition(status, "Ready") is not None
    )
    share, confirmed = 0, None
    if mode == "Knative":
        share = spec["predictor"].get("canaryTrafficPercent") or 0
        share = share if share < 100 else 0
        confirmed = _knative_share(status) if settled else None
    else:
        canary = next(iter(spec.get("canary") or []), None)
        share = canary["trafficPercent"] if canary else 0
        confirmed = (
            next((one["trafficPercent"] for one in status.get("canaryStatuses") or [] if one["ready"]), None)
            if settled
            else None
        )
    digest, uri = notes.get(DIGEST_ANNOTATION, ""), notes.get(built.URI_ANNOTATION, "") or _uri(spec["predictor"])
    return ServiceSeen(digest, uri, share, notes.get(built.CANARY_ANNOTATION, "") if share else "", confirmed)


def _knative_share(status: Mapping[str, Any]) -> int | None:
    """Share of the newest revision, once it is the ready one."""
    one = (status.get("components") or {}).get("predictor") or {}
    if not one.get("latestReadyRevision") or one.get("latestReadyRevision") != one.get("latestCreatedRevision"):
        return None
    traffic = one.get("traffic") or []
    return next(
        (part.get("percent") for part in traffic if part.get("revisionName") == one["latestReadyRevision"]), None
    )


def _uri(predictor: Mapping[str, Any]) -> str:
    model = predictor.get("model") or {}
    told = [
        env.get("value", "")
        for one in predictor.get("containers") or []
        for env in one.get("env") or []
        if env["name"] == "STORAGE_URI"
    ]
    return str(model.get("storageUri") or next(iter(told), ""))
