"""The definitions in the chart are the models."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from gyeol.reconcile.crd.definition import files

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "crds"
HELM = ROOT / ".tools" / "bin" / "helm"


def test_the_chart_holds_exactly_what_the_models_say() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in (CHART / "templates").glob("*.yaml")}
    assert written == dict(files()), "run: python -m gyeol.cluster crds charts/crds/templates"


def test_uninstalling_the_chart_keeps_the_definitions_and_with_them_every_object() -> None:
    for text in files().values():
        assert yaml.safe_load(text)["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


@pytest.mark.skipif(not HELM.exists(), reason="helm is not in .tools/bin: make tools")
def test_helm_leaves_the_definitions_as_they_are() -> None:
    rendered = subprocess.run([HELM, "template", "crds", CHART], capture_output=True, text=True, check=True).stdout
    found = {one["metadata"]["name"]: one for one in yaml.safe_load_all(rendered) if one}
    assert found == {one["metadata"]["name"]: one for one in map(yaml.safe_load, files().values())}
    assert shutil.which(str(HELM))
