"""InferenceService of serving.kserve.io/v1beta1: one model, by KServe's vLLM runtime on GPUs, by Gyeol's predictor elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from gyeol.reconcile.manifest import place
from gyeol.reconcile.manifest.name import child_metadata, labels, service_name
from gyeol.reconcile.manifest.pod import Container, container, gpus, pod, resources, tolerations
from gyeol.reconcile.manifest.site import Site, Value
from gyeol.reconcile.manifest.work import Ask, served_name
from gyeol.reconcile.seen import Side
from gyeol.reconcile.spec.evaluation import Serving

API_VERSION = "serving.kserve.io/v1beta1"
KIND = "InferenceService"
DIGEST_ANNOTATION = "gyeol.dev/model-digest"
MODELS = "/mnt/models"
"""Where KServe puts what `storageUri` names."""
PORT = 8080
LOAD_SECONDS = 1800
"""How long loading weights may take before a server counts as dead."""
_LEAST = {"cpu": "1", "memory": "2Gi"}


@dataclass(frozen=True)
class Served:
    """A model to be served."""

    name: str
    """Name under which it answers."""
    uri: str
    digest: str
    serving: Serving


def run_service(side: Side, ask: Ask) -> Value:
    """The InferenceService of one model of a run; reachable inside the cluster only."""
    owner, status = ask.run.metadata, ask.run.status
    known = status.baseline if side is Side.BASELINE else status.candidate
    digest = known.digest if known else ""
    uri = place.address(ask.site.store, place.model(side, ask.run_id, ask.uri))
    model = Served(served_name(side, digest), uri, digest, ask.run.spec.serving)
    marks = {**labels(owner), "gyeol.dev/side": side.value, "networking.kserve.io/visibility": "cluster-local"}
    metadata = child_metadata("AlignmentRun", owner, service_name(owner, side), marks)
    metadata["annotations"] = {DIGEST_ANNOTATION: digest}
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": metadata,
        "spec": {"predictor": predictor(model, ask.site)},
    }


def predictor(model: Served, site: Site) -> Value:
    """The predictor of an InferenceService, whole or as a canary."""
    accelerated = gpus(model.serving.resources) > 0
    runtime = model.serving.runtime
    made = (
        _huggingface(model, site)
        if runtime == "HuggingFace" or (runtime == "Auto" and accelerated)
        else _own(model, site)
    )
    made["minReplicas"] = 1
    if model.serving.node_selector:
        made["nodeSelector"] = dict(model.serving.node_selector)
    if model.serving.tolerations:
        made["tolerations"] = tolerations(model.serving.tolerations)
    if site.delivery.mode == "Standard" and accelerated:
        # one more pod than there are GPUs would wait for ever for the one it replaces
        made["deploymentStrategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    return made


def _huggingface(model: Served, site: Site) -> Value:
    return {
        "model": {
            "modelFormat": {"name": "huggingface"},
            "runtime": site.serving_runtime,
            "storageUri": model.uri,
            "args": [f"--model_name={model.name}"],
            "resources": resources(model.serving.resources, {"cpu": "4", "memory": "16Gi"}),
        }
    }


def _own(model: Served, site: Site) -> Value:
    argv = ["python", "-m", "gyeol.predictor", "--model", MODELS, "--name", model.name]
    argv += ["--http-port", str(PORT), "--grpc-port", "8081"]
    one = container(
        Container(
            "kserve-container",
            site.images["predictor"],
            argv,
            {"STORAGE_URI": model.uri, "TOKENIZERS_PARALLELISM": "false"},
            resources(model.serving.resources, _LEAST),
        ),
        site,
    )
    one["ports"] = [{"name": "http1", "containerPort": PORT, "protocol": "TCP"}]
    health = {"httpGet": {"path": "/v2/health/ready", "port": PORT}}
    one["readinessProbe"] = {**health, "periodSeconds": 5}
    made = pod(site, [one], (), ())
    if site.delivery.mode == "Knative":  # it takes neither a startup probe nor security settings of the pod
        made["annotations"] = {"serving.knative.dev/progress-deadline": f"{LOAD_SECONDS}s"}
        security = made.pop("securityContext")
        kept = ("runAsNonRoot", "runAsUser", "runAsGroup", "seccompProfile")
        one["securityContext"] = {**one["securityContext"], **{key: security[key] for key in kept}}
    else:
        one["startupProbe"] = {**health, "periodSeconds": 10, "failureThreshold": LOAD_SECONDS // 10}
    one["volumeMounts"] = [mount for mount in one["volumeMounts"] if mount["name"] == "tmp"]
    made["volumes"] = [volume for volume in made["volumes"] if volume["name"] == "tmp"]
    return made
