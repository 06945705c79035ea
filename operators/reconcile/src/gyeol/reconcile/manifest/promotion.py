"""What a promotion asks of a cluster: the service of an environment, a canary beside it, and jobs that measure it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from gyeol.reconcile.manifest import place
from gyeol.reconcile.manifest.inferenceservice import (
    API_VERSION,
    DIGEST_ANNOTATION,
    KIND,
    PORT,
    Served,
    predictor,
)
from gyeol.reconcile.manifest.name import LABEL_LIMIT, MANAGER, UID_LABEL, child_metadata, labels, tag
from gyeol.reconcile.manifest.pod import SETTINGS, Container, container, pod, resources
from gyeol.reconcile.manifest.site import Site, Value
from gyeol.reconcile.promotion import ModelPromotion
from gyeol.reconcile.spec.training import Resources

URI_ANNOTATION = "gyeol.dev/model-uri"
CANARY_ANNOTATION = "gyeol.dev/canary-digest"
MODEL_LABEL = "gyeol.dev/model"
"""Label of serving pods by which the canary alone is reached."""
CANARY = "canary"
OWNER = "ModelPromotion"
CANARY_MANAGER = f"{MANAGER}-canary"
"""Field manager of the canary, so that it can be taken away without touching what others set."""


def environment_service(promotion: ModelPromotion) -> str:
    """Name of the InferenceService of the environment."""
    return promotion.spec.service or promotion.spec.environment


def whole(promotion: ModelPromotion, site: Site, uri: str, digest: str) -> Value:
    """The service with one model that gets everything. It belongs to nobody: it outlives the promotion that wrote it."""
    notes = {DIGEST_ANNOTATION: digest, URI_ANNOTATION: uri}
    return _service(promotion, site, {"predictor": _predictor(promotion, site, uri, digest)}, notes)


def shared(promotion: ModelPromotion, site: Site, percent: int) -> Value:
    """The part of the service that gives the new model a share of the traffic, in the field that this cluster reads."""
    model = promotion.spec.model
    made = _predictor(promotion, site, model.uri, model.digest)
    notes = {CANARY_ANNOTATION: model.digest}
    if site.delivery.mode == "Knative":
        previous = promotion.status.previous
        notes |= {DIGEST_ANNOTATION: previous.digest, URI_ANNOTATION: previous.uri} if previous else {}
        return _service(promotion, site, {"predictor": {**made, "canaryTrafficPercent": percent}}, notes)
    made["name"] = CANARY
    spec = {"canary": [{"trafficPercent": percent, "predictor": made}]}
    value = _service(promotion, site, spec, notes)
    value["metadata"].pop("labels")
    return value


def without_canary(promotion: ModelPromotion) -> Value:
    """What the canary's manager applies to take it away: nothing of its own any more."""
    name = {"name": environment_service(promotion), "namespace": promotion.metadata.namespace}
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": name}


def direct_door(promotion: ModelPromotion) -> Value:
    """A Service in front of the new model's pods alone, so that it is measured and not whoever else gets the traffic."""
    owner = promotion.metadata
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": child_metadata(OWNER, owner, part_name(owner.name, f"-{tag(owner.uid)}-new"), labels(owner)),
        "spec": {
            "selector": {MODEL_LABEL: _short(promotion.spec.model.digest)},
            "ports": [{"name": "http", "port": 80, "targetPort": PORT, "protocol": "TCP"}],
        },
    }


def analysis_settings(promotion: ModelPromotion) -> Value:
    """The ConfigMap with the suites of an analysis."""
    count = promotion.spec.canary.probes if promotion.spec.canary else 0
    suites = [{"name": name, "items": count} for name in ("cultural-safety", "over-refusal")]
    owner = promotion.metadata
    name = part_name(owner.name, f"-{tag(owner.uid)}-analysis")
    metadata = child_metadata(OWNER, owner, name, labels(owner))
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"suites.json": json.dumps(suites)}}


def analysis_name(promotion: ModelPromotion, step: int, attempt: int) -> str:
    return part_name(promotion.metadata.name, f"-{tag(promotion.metadata.uid)}-analysis-{step}-{attempt}")


def analysis_job(promotion: ModelPromotion, site: Site, step: int, attempt: int, endpoint: str) -> Value:
    """Probes the new model alone: held-out questions and benign look-alikes, then latency and errors."""
    folder = f"promotions/{tag(promotion.metadata.uid)}/{step}-{attempt}"
    service = environment_service(promotion)
    argv = ["python", "-m", "gyeol.evaluate", "run", "--endpoint", endpoint, "--model", service]
    argv += ["--suites", f"{SETTINGS}/suites.json", "--output", place.mounted(folder), "--json"]
    for name in ("seed", "policy", "judge"):
        argv += [f"--{name}-address", site.addresses[name]]
    gauge = ["python", "-m", "gyeol.cluster", "gauge", folder, "--endpoint", endpoint, "--model", service]
    work = Container("work", site.images["evaluate"], argv, resources=resources(Resources(), {"cpu": "500m", "memory": "1Gi"}), mounts=(("settings", SETTINGS),))  # fmt: skip
    config = {"name": "settings", "configMap": {"name": analysis_settings(promotion)["metadata"]["name"]}}
    made = local_pod(site, gauge, work, (config,))
    return promotion_job(promotion, analysis_name(promotion, step, attempt), "analysis", attempt, made, 7200)


def _service(promotion: ModelPromotion, site: Site, spec: Value, notes: dict[str, str]) -> Value:
    owner = promotion.metadata
    marks = {"app.kubernetes.io/name": "gyeol", "app.kubernetes.io/managed-by": MANAGER, UID_LABEL: owner.uid}
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {
            "name": environment_service(promotion),
            "namespace": owner.namespace,
            "labels": marks,
            "annotations": {**notes, "serving.kserve.io/deploymentMode": site.delivery.spelling},
        },
        "spec": spec,
    }


def _predictor(promotion: ModelPromotion, site: Site, uri: str, digest: str) -> Value:
    made = predictor(Served(environment_service(promotion), uri, digest, promotion.spec.serving), site)
    if digest:
        made["labels"] = {MODEL_LABEL: _short(digest)}
    return made


def local_pod(
    site: Site, last: list[str], work: Container, more: Sequence[Value], *, first: Sequence[Value] = ()
) -> Value:
    """A pod that works, and then looks at what the work left."""
    small = {"requests": {"cpu": "100m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
    closing = Container("witness", site.images["cluster"], last, resources=small, secret=site.store.secret)
    return pod(site, [container(closing, site)], [*first, container(work, site)], more, restartPolicy="Never")


def promotion_job(promotion: ModelPromotion, name: str, job: str, attempt: int, made: Value, deadline: int) -> Value:
    """The Job of a part of a promotion; another attempt is the promotion's decision, under another name."""
    marks = {**labels(promotion.metadata, None, attempt), "gyeol.dev/job": job}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": child_metadata(OWNER, promotion.metadata, name, dict(marks)),
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": deadline,
            "template": {"metadata": {"labels": dict(marks)}, "spec": made},
        },
    }


def _short(digest: str) -> str:
    return digest.removeprefix("sha256:")[:16]


def part_name(name: str, end: str) -> str:
    """A name that leaves room for what others append."""
    return name[: LABEL_LIMIT - 8 - len(end)].rstrip("-") + end
