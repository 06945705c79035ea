"""What Helm renders is what an API server takes, and the same every time."""

from __future__ import annotations

import logging
import re
from collections import Counter
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from support.helm import CHARTS, ROOT, WORLDS, Helm, Manifest, RenderingError, one, parsed, pods
from support.kube.upstream import upstream

_CORE = (
    "v1",
    "apps/v1",
    "batch/v1",
    "policy/v1",
    "autoscaling/v2",
    "networking.k8s.io/v1",
    "rbac.authorization.k8s.io/v1",
)


def test_every_core_object_is_valid_for_kubernetes_1_36(world: list[Manifest]) -> None:
    seen: set[str] = set()
    for item in world:
        if item["apiVersion"] not in _CORE:
            continue
        shape = yaml.safe_dump({**item, "metadata": {**item["metadata"], "name": "x"}})
        if shape not in seen:
            kubernetes_validate.validate(item, "1.36", strict=True)
            seen.add(shape)
    assert len(seen) > 30


def test_only_known_kinds_of_others_are_rendered(world: list[Manifest]) -> None:
    others = {item["apiVersion"] for item in world} - set(_CORE)
    assert others <= {
        "monitoring.coreos.com/v1", "cert-manager.io/v1", "keda.sh/v1alpha1", "serving.kserve.io/v1beta1"
    }  # fmt: skip


def test_the_default_asks_for_no_kind_that_a_bare_cluster_lacks(tool: Helm) -> None:
    assert {item["apiVersion"] for item in tool.world("default")} <= set(_CORE)


def test_no_two_objects_have_the_same_name(world: list[Manifest]) -> None:
    named = Counter((item["kind"], item["metadata"]["name"]) for item in world)
    assert [name for name, count in named.items() if count > 1] == []


@pytest.mark.parametrize("name", WORLDS)
def test_rendering_twice_gives_the_same_bytes(tool: Helm, name: str) -> None:
    arguments = [f"--values={file}" for file in WORLDS[name]]
    assert tool.text(CHARTS / "gyeol", *arguments) == tool.text(CHARTS / "gyeol", *arguments)


def test_an_upgrade_differs_from_an_installation_in_nothing(tool: Helm) -> None:
    assert tool.text(CHARTS / "gyeol", "--is-upgrade") == tool.text(CHARTS / "gyeol")


@pytest.mark.parametrize("arguments", [(), ("--values", CHARTS / "gyeol" / "values-ci.yaml")], ids=["default", "ci"])
def test_lint_finds_nothing(tool: Helm, arguments: tuple[object, ...]) -> None:
    tool.lint(CHARTS / "gyeol", *arguments)


def test_lint_finds_nothing_in_the_definitions(tool: Helm) -> None:
    tool.lint(CHARTS / "crds")


def test_selectors_hold_no_version(world: list[Manifest]) -> None:
    """A selector cannot be changed; with a version in it the next upgrade would fail."""
    for item in world:
        if item["kind"] in ("Deployment", "StatefulSet"):
            assert set(item["spec"]["selector"]["matchLabels"]) == {
                "app.kubernetes.io/name",
                "app.kubernetes.io/instance",
            }


def test_what_cannot_be_made_again_outlives_the_release(tool: Helm) -> None:
    claims = [item for item in tool.world("default") if item["kind"] == "PersistentVolumeClaim"]
    assert {item["metadata"]["name"] for item in claims} == {"gyeol-ledger", "gyeol-artifacts"}
    assert all(item["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep" for item in claims)


def test_definitions_are_a_chart_of_their_own_and_outlive_it(tool: Helm) -> None:
    definitions = parsed(tool.text(CHARTS / "crds"))
    assert {item["kind"] for item in definitions} == {"CustomResourceDefinition"}
    assert all(item["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep" for item in definitions)
    assert not list(CHARTS.glob("*/crds"))
    assert "CustomResourceDefinition" not in {item["kind"] for item in tool.world("default")}


def test_every_mounted_object_is_rendered_made_by_a_hook_or_named_in_the_values(tool: Helm) -> None:
    for name, own in (("default", {"gyeol-nats-users", "gyeol-gateway-access"}), ("external", None)):
        manifests = tool.world(name)
        given = yaml.safe_dump([yaml.safe_load(file.read_text()) for file in WORLDS[name]])
        made = {(item["kind"], item["metadata"]["name"]) for item in manifests}
        for _, spec in pods(manifests):
            for volume in spec["volumes"]:
                for kind, key in (("ConfigMap", "configMap"), ("Secret", "secret")):
                    for source in (volume, *volume.get("projected", {}).get("sources", ())):
                        if key in source:
                            wanted = source[key].get("name") or source[key].get("secretName")
                            assert (kind, wanted) in made or (own and wanted in own) or str(wanted) in given, wanted


def test_an_object_that_only_one_node_mounts_is_never_wanted_by_two_pods_of_a_rollout(tool: Helm) -> None:
    manifests = tool.world("default")
    for name in ("gyeol-ledger", "gyeol-cluster"):
        assert one(manifests, "Deployment", name)["spec"]["strategy"] == {"type": "Recreate"}
    assert one(tool.world("external"), "Deployment", "gyeol-ledger")["spec"]["strategy"]["type"] == "RollingUpdate"


@pytest.mark.parametrize("runtime", ["Predictor", "HuggingFace"])
def test_the_pinned_model_is_an_inference_service_that_kserve_takes(tool: Helm, runtime: str) -> None:
    manifests = tool.manifests(*WORLDS["external"], values={"serving.runtime": runtime})
    service = one(manifests, "InferenceService", "gyeol-model")
    definition = next(found for found in upstream() if found.kind == "InferenceService")
    assert definition.admitted(service)[1] == []
    assert service["metadata"]["annotations"]["gyeol.dev/model-digest"] == "sha256:" + "1" * 64


@pytest.mark.parametrize("environment", ["dev", "staging", "production"])
def test_every_environment_renders_with_its_pinned_model(tool: Helm, environment: str, tmp_path: Path) -> None:
    folder = CHARTS / "environments" / environment
    files = (folder / "values.yaml", folder / "model.yaml")
    assert "InferenceService" not in {item["kind"] for item in tool.manifests(*files)}
    pinned = yaml.safe_load((folder / "model.yaml").read_text())
    pinned["model"] |= {"name": "ko", "uri": "pvc://gyeol-artifacts/model", "digest": "sha256:" + "a" * 64}
    (tmp_path / "model.yaml").write_text(yaml.safe_dump(pinned))
    manifests = tool.manifests(files[0], tmp_path / "model.yaml")
    assert one(manifests, "InferenceService", "gyeol-model")["metadata"]["annotations"]["gyeol.dev/model-digest"]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ({"nats.embedded": False}, "nats.url is needed"),
        ({"artifacts.kind": "s3"}, "artifacts.s3.url is needed"),
        ({"ledger.replicas": 2}, "SQLite allows one replica"),
        ({"model.uri": "pvc://claim/model"}, "model.digest is needed"),
        ({"gateway.auth.oidcIssuer": "https://login", "gateway.auth.oidcAudience": ""}, "gateway.auth.oidcAudience"),
        ({"candidate.autoscaling.by": "mood"}, "candidate/autoscaling/by"),
        ({"telemetry.traceRatio": "2"}, "traceRatio"),
    ],
)  # fmt: skip
def test_values_that_do_not_fit_together_are_refused_with_the_remedy(
    tool: Helm, values: dict[str, object], told: str
) -> None:
    with pytest.raises(RenderingError, match=told):
        tool.manifests(values=values)


def test_notes_tell_the_next_command(tool: Helm) -> None:
    notes = (CHARTS / "gyeol" / "templates" / "NOTES.txt").read_text()
    for command in (
        "helm upgrade --install gyeol-crds charts/crds",
        "apply -f examples/ko-quickstart.yaml",
        "test {{ .Release.Name }}",
    ):
        assert command in notes
    assert (ROOT / "examples" / "ko-quickstart.yaml").is_file()


def test_every_value_that_the_readme_names_exists() -> None:
    readme = (CHARTS / "gyeol" / "README.md").read_text(encoding="utf-8")
    values = yaml.safe_load((CHARTS / "gyeol" / "values.yaml").read_text(encoding="utf-8"))
    for path in re.findall(r"`((?:[a-z0-9]+[A-Za-z0-9]*\.)+[A-Za-z0-9]+)(?:: [^`]+)?`", readme):
        node = values
        if path.split(".")[0] not in values:
            continue
        for key in path.split("."):
            assert key in node, path
            node = node[key]


logging.getLogger("kubernetes_validate").setLevel(logging.ERROR)
