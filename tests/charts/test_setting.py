"""Every service understands the environment that the chart gives it."""

from __future__ import annotations

import importlib
import os

import pytest

from gyeol.chassis.settings import load
from support.helm import Helm, Manifest, one

NAMES = ("seed", "policy", "candidate", "judge", "ledger", "gateway", "cluster")


def environment(manifests: list[Manifest], name: str) -> dict[str, str]:
    container = one(manifests, "Deployment", f"gyeol-{name}")["spec"]["template"]["spec"]["containers"][0]
    return {
        variable["name"]: variable.get("value", "postgresql://user:password@database/gyeol")
        for variable in container["env"]
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_service_reads_all_of_its_environment(
    world: list[Manifest], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = importlib.import_module(f"gyeol.{name}.settings").Settings
    given = environment(world, name)
    known = {f"{name.upper()}_{field}".upper() for field in settings.model_fields}
    assert set(given) - known <= {"POD_NAME"}
    for variable in [key for key in os.environ if key.startswith(f"{name.upper()}_")]:
        monkeypatch.delenv(variable)
    for variable, value in given.items():
        monkeypatch.setenv(variable, value)
    read = load(settings)
    assert (read.host, read.port, read.metrics_port) == ("0.0.0.0", 8080, 9090)


@pytest.mark.parametrize("name", NAMES)
def test_every_address_of_a_peer_is_given(tool: Helm, name: str) -> None:
    settings = importlib.import_module(f"gyeol.{name}.settings").Settings
    given = environment(tool.world("default"), name)
    for field in settings.model_fields:
        if field.endswith("_address"):
            peer = field.removesuffix("_address")
            assert given[f"{name.upper()}_{field.upper()}"] == f"dns:///gyeol-{peer}.apps.svc:8080"


def test_the_gateway_would_not_open_without_authentication(tool: Helm) -> None:
    given = environment(tool.world("default"), "gateway")
    assert given["GATEWAY_TOKENS_FILE"]
    assert given["GATEWAY_HTTP_PORT"] != given["GATEWAY_PORT"]


def test_the_operator_is_told_where_artifacts_are_and_which_images_jobs_run(
    tool: Helm, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gyeol.cluster.offer import site
    from gyeol.cluster.settings import Settings
    from gyeol.reconcile.manifest.site import Delivery

    for variable, value in environment(tool.world("external"), "cluster").items():
        monkeypatch.setenv(variable, value)
    offer = site(load(Settings), Delivery("Knative", "Knative", False))
    assert offer.images["dpo"] == "registry.example.com/ai/gyeol/gyeol-dpo:0.1.0-cuda"
    assert offer.images["promote"] == "registry.example.com/ai/own-promote:1"
    assert offer.images["evaluate"] == "registry.example.com/ai/gyeol/gyeol-evaluate:0.1.0"
    assert (offer.store.url, offer.store.secret) == ("s3://bucket/gyeol", "bucket")
    assert offer.pull_secrets == ("registry",)


def test_a_change_of_the_models_file_rolls_the_services_that_read_it(tool: Helm) -> None:
    files = {"vendors": {"models": [{"name": "a", "baseUrl": "https://m/v1", "model": "m"}]}}
    before, after = tool.world("default"), tool.manifests(values={"models.files": files})
    changed = {
        name
        for name in NAMES
        if one(before, "Deployment", f"gyeol-{name}")["spec"] != one(after, "Deployment", f"gyeol-{name}")["spec"]
    }
    assert changed == {"seed", "candidate", "judge"}


def test_replicas_are_left_to_the_autoscaler(tool: Helm) -> None:
    manifests = tool.world("ci")
    for name in ("candidate", "judge"):
        assert "replicas" not in one(manifests, "Deployment", f"gyeol-{name}")["spec"]
        assert one(manifests, "PodDisruptionBudget", f"gyeol-{name}")
    assert one(manifests, "HorizontalPodAutoscaler", "gyeol-candidate")
    trigger = one(manifests, "ScaledObject", "gyeol-judge")["spec"]["triggers"][0]
    assert trigger["type"] == "nats-jetstream"
    assert trigger["metadata"] == {
        "natsServerMonitoringEndpoint": "gyeol-nats.apps.svc:8222", "account": "$G", "stream": "GYEOL_WORK",
        "consumer": "judge", "lagThreshold": "50",
    }  # fmt: skip
