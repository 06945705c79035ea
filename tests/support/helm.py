"""Helm as a program: renders the charts as `helm install` would, without a cluster."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
CHARTS = ROOT / "charts"
PROGRAM = ROOT / ".tools" / "bin" / "helm"
WORLDS = {
    "default": (),
    "ci": (CHARTS / "gyeol" / "values-ci.yaml",),
    "external": (ROOT / "tests" / "charts" / "values" / "external.yaml",),
}

Manifest = dict[str, Any]


class RenderingError(AssertionError):
    """Helm refuses; the text is what it says."""


@dataclass(frozen=True)
class Helm:
    program: Path

    def text(self, chart: Path, *arguments: object) -> str:
        """What the chart renders, hooks included. Raises: RenderingError."""
        command = [
            self.program,
            "template",
            "gyeol",
            chart,
            "--namespace",
            "apps",
            "--kube-version",
            "1.36",
            *arguments,
        ]
        done = subprocess.run([str(one) for one in command], capture_output=True, text=True, check=False)
        if done.returncode:
            raise RenderingError(done.stderr)
        return done.stdout

    def manifests(
        self, *files: Path, chart: Path = CHARTS / "gyeol", values: Mapping[str, Any] | None = None
    ) -> list[Manifest]:
        """The objects that the chart renders with values files, and values of single paths on top."""
        more = [f"--set-json={path}={_json(value)}" for path, value in (values or {}).items()]
        return parsed(self.text(chart, *(f"--values={file}" for file in files), *more))

    @functools.cache  # noqa: B019 (one Helm for a session)
    def world(self, name: str) -> list[Manifest]:
        return self.manifests(*WORLDS[name])

    def lint(self, chart: Path, *arguments: object) -> str:
        command = [str(one) for one in (self.program, "lint", "--strict", chart, *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RenderingError(done.stdout + done.stderr)
        return done.stdout


def helm() -> Helm:
    """The pinned Helm."""
    if not PROGRAM.is_file():
        raise FileNotFoundError(f"{PROGRAM} is missing: run `make tools`")
    return Helm(PROGRAM)


def parsed(text: str) -> list[Manifest]:
    return [one for one in yaml.load_all(text, yaml.CSafeLoader) if one]


def one(manifests: Sequence[Manifest], kind: str, name: str) -> Manifest:
    """The object of that kind and name."""
    found = [item for item in manifests if item["kind"] == kind and item["metadata"]["name"] == name]
    assert len(found) == 1, f"{len(found)} of {kind} {name}"
    return found[0]


def pods(manifests: Sequence[Manifest]) -> Iterator[tuple[str, Manifest]]:
    """Pod specifications, with the name of what holds them."""
    for item in manifests:
        name = f"{item['kind']}/{item['metadata']['name']}"
        if item["kind"] == "Pod":
            yield name, item["spec"]
        elif item["kind"] in ("Deployment", "StatefulSet", "Job"):
            yield name, item["spec"]["template"]["spec"]
        elif item["kind"] == "InferenceService" and "containers" in item["spec"]["predictor"]:
            yield name, item["spec"]["predictor"]


def _json(value: object) -> str:
    import json

    return json.dumps(value)
