"""What this cluster offers, found from settings and from the API server."""

from __future__ import annotations

from typing import Any

from gyeol.chassis import logs
from gyeol.cluster.client import Cluster
from gyeol.cluster.errors import GoneError, KindMissingError, RefusedError
from gyeol.cluster.kind import CONFIG_MAP, DEFINITION, Kind
from gyeol.cluster.settings import Settings
from gyeol.reconcile.manifest.site import Delivery, Site, Store

DEPLOYABLES = ("weights", "dpo", "evaluate", "gate", "promote", "predictor", "cluster")
_KNATIVE = Kind("serving.knative.dev", "v1", "services", "Service")
_OLD = {"Standard": "RawDeployment", "Knative": "Serverless"}
_NEW = {old: new for new, old in _OLD.items()}

_SAY_SO = "set CLUSTER_SERVING_MODE to Standard or Knative"
_LET_READ = "let the operator's account get customresourcedefinitions, or leave spec.canary out"

_log = logs.get()


def site(settings: Settings, delivery: Delivery) -> Site:
    """The offer as builders take it."""
    scheme, _, rest = settings.artifacts.partition("://")
    store = (
        Store("pvc", claim=rest.strip("/"), at_ledger=settings.artifacts_at_ledger)
        if scheme == "pvc"
        else Store("s3", url=settings.artifacts, secret=settings.artifacts_secret)
    )
    return Site(
        images={name: settings.images.get(name) or settings.image.format(name=name) for name in DEPLOYABLES},
        store=store,
        addresses={name: getattr(settings, f"{name}_address") for name in ("seed", "policy", "judge", "ledger")},
        service_account=settings.job_service_account,
        pull_secrets=settings.pull_secrets,
        pull_policy=settings.pull_policy,
        training_runtime=settings.training_runtime,
        serving_runtime=settings.serving_runtime,
        gate_policies=settings.gate_policies,
        gate_key=settings.gate_key,
        git_secret=settings.git_secret,
        delivery=delivery,
    )


async def delivery(settings: Settings, cluster: Cluster) -> Delivery:
    """How InferenceServices split traffic here: by the setting, by KServe's own configuration, or by whether Knative is there."""
    mode: Any = settings.serving_mode
    doubt = ""
    if mode == "Auto":
        try:
            mode = await _configured(cluster) or ("Knative" if await cluster.has(_KNATIVE) else "Standard")
        except RefusedError as error:
            mode, doubt = "Standard", f"the API server does not say how KServe deploys here ({error}); {_SAY_SO}"
    try:
        fields = await _fields(cluster)
    except RefusedError as error:
        fields, doubt = set(), doubt or f"the definition of InferenceService cannot be read ({error}); {_LET_READ}"
    canary = "canary" in fields
    found = Delivery(mode, mode if canary or not fields else _OLD[mode], canary, doubt)
    _log.info("delivery_found", mode=found.mode, spelling=found.spelling, canary=found.canary, doubt=found.doubt)
    return found


async def _configured(cluster: Cluster) -> str:
    """The default mode that KServe is set up with; empty when that cannot be read."""
    import json

    try:
        config = await cluster.get(CONFIG_MAP, "kserve", "inferenceservice-config")
        mode = json.loads(config.get("data", {}).get("deploy", "{}")).get("defaultDeploymentMode", "")
    except (GoneError, KindMissingError, RefusedError, ValueError):
        return ""
    return str(_NEW.get(mode, mode)) if mode in (*_OLD, *_NEW) else ""


async def _fields(cluster: Cluster) -> set[str]:
    """Fields of the installed InferenceService.

    Raises:
      RefusedError: This account may not read definitions.
    """
    try:
        found = await cluster.get(DEFINITION, "", "inferenceservices.serving.kserve.io")
    except (GoneError, KindMissingError):
        return set()
    version = next(one for one in found["spec"]["versions"] if one["name"] == "v1beta1")
    return set(version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"])
