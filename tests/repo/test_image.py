"""One recipe per kind makes every image; skaffold builds them all."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from gyeol.chassis import shipped
from gyeol.predictor.settings import Settings
from support.helm import Helm, helm, pods

ROOT = Path(__file__).parents[2]
RECIPES = {"services": ROOT / "services" / "Dockerfile", "pipelines": ROOT / "pipelines" / "Dockerfile"}
IMAGES = {
    path.parent.name: path.parent.parent.name
    for path in ROOT.glob("*/*/pyproject.toml")
    if path.parent.name not in ("chassis", "reconcile", "local")
}
SKAFFOLD: dict[str, Any] = yaml.safe_load((ROOT / "skaffold.yaml").read_text(encoding="utf-8"))
BORDER = ROOT / "operators" / "cluster" / "src" / "gyeol" / "cluster" / "border.py"
SCHEMA = ROOT.parent / "shared" / "schemas" / "skaffold-v4beta14.json"


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_the_linter_finds_nothing_in_a_recipe(recipe: Path) -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "hadolint", recipe], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_an_image_is_locked_runs_as_nobody_and_holds_no_tools(recipe: Path) -> None:
    text = recipe.read_text(encoding="utf-8")
    build, final = text.split("FROM python:${PYTHON}\n")
    assert "--constraint constraints.txt" in build
    assert "--build-constraint constraints.txt" in build
    assert re.search(r"^USER 10001:10001$", final, re.MULTILINE)
    assert "pip install" not in final
    assert "COPY --from=build /opt/gyeol /opt/gyeol" in final
    assert {line.split()[1] for line in text.splitlines() if line.startswith("FROM")} == {"python:${PYTHON}"}


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES)
def test_everything_a_recipe_copies_is_let_through_to_the_builder(recipe: Path) -> None:
    through = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for line in re.findall(r"^COPY (?!--from)(\S+)", recipe.read_text(), re.MULTILINE):
        top = line.split("/")[0].replace("${KIND}", "services")
        assert top in through
        assert (ROOT / top).exists()


def test_an_image_reads_every_kind_of_address_that_a_run_may_give_it() -> None:
    """Weights of `gguf:` and data of `hf:` need an extra of the distribution, and nobody can install it in a pod."""
    text = RECIPES["pipelines"].read_text(encoding="utf-8")
    brought = dict(re.findall(r"\b(\w+)\) known=(\w+) ;;", text))
    assert brought == {"weights": "gguf", "evaluate": "hub"}
    for name, extra in brought.items():
        project = tomllib.loads((ROOT / "pipelines" / name / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert extra in project["optional-dependencies"]
    assert '"${own}[${EXTRAS:-${known}}]"' in text
    assert '"${own}[${EXTRAS}]"' in RECIPES["services"].read_text(encoding="utf-8")


def test_the_image_of_the_operator_holds_what_runs_may_name() -> None:
    text = RECIPES["services"].read_text(encoding="utf-8")
    copied = dict(re.findall(r"^COPY (pipelines/\S+) (\S+)$", text, re.MULTILINE))
    assert set(copied.values()) == set(re.search(r'cluster\) data="([^"]+)"', text)[1].split())  # type: ignore[index]
    for place, folder in copied.items():
        package = ".".join((ROOT / place).parent.parts[-2:])
        assert shipped.files(package, folder)
        assert f'shipped.files("{package}", "{folder}")' in BORDER.read_text(encoding="utf-8")


def test_a_model_server_answers_at_the_address_of_its_pod() -> None:
    """On loopback, the default on a machine, no probe would ever find it ready."""
    final = RECIPES["services"].read_text(encoding="utf-8").split("FROM python:${PYTHON}\n")[1]
    given = dict(re.findall(r"\b(PREDICTOR_\w+)=(\S+)", final))
    lowered = {name.removeprefix(str(Settings.model_config["env_prefix"])).lower() for name in given}
    assert given["PREDICTOR_HOST"] == "0.0.0.0"
    assert lowered <= set(Settings.model_fields)


def artifacts() -> dict[str, dict[str, Any]]:
    return {one["image"].rpartition("/gyeol-")[2]: one for one in SKAFFOLD["build"]["artifacts"]}


def test_skaffold_builds_every_deployable_by_the_recipe_of_its_kind() -> None:
    assert set(artifacts()) == set(IMAGES)
    for name, one in artifacts().items():
        recipe = "pipelines/Dockerfile" if IMAGES[name] == "pipelines" else "services/Dockerfile"
        assert one["docker"]["dockerfile"] == recipe
        arguments = one["docker"]["buildArgs"]
        assert arguments["DEPLOYABLE"] == name
        assert arguments.get("KIND", IMAGES[name] if recipe.startswith("pipelines") else "services") == IMAGES[name]
        assert (ROOT / one["context"] / recipe).is_file()


def test_skaffold_installs_charts_and_values_that_exist() -> None:
    assert SKAFFOLD["apiVersion"] == "skaffold/v4beta14"
    releases = SKAFFOLD["deploy"]["helm"]["releases"]
    assert [release["chartPath"] for release in releases] == ["charts/crds", "charts/gyeol"]
    for path in [*(one["chartPath"] for one in releases), *releases[1]["valuesFiles"]]:
        assert (ROOT / path).exists(), path


def test_skaffold_gives_the_chart_the_images_that_it_built() -> None:
    """Its templates, filled in as skaffold does, reach every pod and the operator's list of job images."""
    release = SKAFFOLD["deploy"]["helm"]["releases"][1]
    values = {**release["setValueTemplates"], **release["setValues"]}
    filled = {
        path: re.sub(r"\{\{\.IMAGE_TAG_ghcr_io_gyeol_gyeol_(\w+)\}\}", r"built-\1", value)
        for path, value in values.items()
    }
    tool: Helm = helm()
    manifests = tool.manifests(*(ROOT / file for file in release["valuesFiles"]), values=filled)
    images = {container["image"] for _, spec in pods(manifests) for container in spec["containers"]}
    ours = {image for image in images if "gyeol-" in image}
    assert ours == {
        f"ghcr.io/gyeol/gyeol-{name}:built-{name}"
        for name in ("seed", "policy", "candidate", "judge", "ledger", "gateway", "cluster")
    }
    operator = next(
        one for one in manifests if one["kind"] == "Deployment" and one["metadata"]["name"] == "gyeol-cluster"
    )
    told = next(
        one["value"]
        for one in operator["spec"]["template"]["spec"]["containers"][0]["env"]
        if one["name"] == "CLUSTER_IMAGES"
    )
    assert all(f"gyeol-{name}:built-{name}" in told for name in ("dpo", "weights", "evaluate", "gate", "promote"))


def test_skaffold_has_its_profiles_and_their_patches_meet_something() -> None:
    profiles = {one["name"]: one for one in SKAFFOLD["profiles"]}
    assert set(profiles) == {"dev", "gpu", "debug"}
    for profile in profiles.values():
        for patch in profile["patches"]:
            node: Any = SKAFFOLD
            for key in patch["path"].split("/")[1:-1]:
                node = node[int(key)] if isinstance(node, list) else node[key]
            assert isinstance(node, dict)
    path = profiles["gpu"]["patches"][0]["path"].split("/")
    assert SKAFFOLD["build"]["artifacts"][int(path[3])]["image"].endswith("gyeol-dpo")


@pytest.mark.skipif(not SCHEMA.is_file(), reason="skaffold's schema is not beside the repository")
def test_skaffold_meets_its_schema() -> None:
    program = Path(sys.executable).parent / "check-jsonschema"
    command = [program, "--schemafile", SCHEMA, ROOT / "skaffold.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
