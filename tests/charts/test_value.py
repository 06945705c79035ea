"""Every value is documented, used, and known to the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from support.helm import CHARTS, WORLDS, Helm, RenderingError

CHART = CHARTS / "gyeol"
TEXT = (CHART / "values.yaml").read_text(encoding="utf-8")
VALUES: dict[str, Any] = yaml.safe_load(TEXT)
SCHEMA: dict[str, Any] = json.loads((CHART / "values.schema.json").read_text(encoding="utf-8"))


def documented() -> dict[str, str]:
    """The sentence above each value, by path."""
    found: dict[str, str] = {}
    stack: list[str] = []
    sentence = ""
    for line in TEXT.splitlines():
        if comment := re.match(r" *# -- (.+)", line):
            sentence = comment[1]
        elif key := re.match(r"( *)([A-Za-z0-9]+):", line):
            stack[len(key[1]) // 2 :] = [key[2]]
            if sentence:
                found[".".join(stack)] = sentence
            sentence = ""
        else:
            sentence = ""
    return found


DOCUMENTED = documented()


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Values as a person sets them: a mapping that is documented as a whole counts as one."""
    if path in DOCUMENTED or not isinstance(value, dict):
        yield path, value
        return
    for key, inner in value.items():
        yield from leaves(inner, f"{path}.{key}".lstrip("."))


LEAVES = dict(leaves(VALUES))


def test_every_value_is_documented_with_a_sentence() -> None:
    assert [path for path in LEAVES if path not in DOCUMENTED] == []
    assert [path for path, sentence in DOCUMENTED.items() if not sentence.endswith((".", "!"))] == []


def test_every_documented_value_exists() -> None:
    assert set(DOCUMENTED) == set(LEAVES)


def at(path: str) -> dict[str, Any]:
    node = SCHEMA
    for key in path.split("."):
        node = node["properties"][key]
    return node


def test_the_schema_says_what_the_values_file_says() -> None:
    assert {path: at(path)["description"] for path in LEAVES} == DOCUMENTED


def closed(node: dict[str, Any], value: dict[str, Any], path: str = "") -> Iterator[str]:
    """Paths where the schema lets a key through that the values file does not know."""
    if node.get("additionalProperties") is not False or set(node["properties"]) - set(value) - {"global", "workload"}:
        yield path or "the top"
    for key, inner in value.items():
        deeper = f"{path}.{key}".lstrip(".")
        if isinstance(inner, dict) and deeper not in DOCUMENTED:
            yield from closed(node["properties"][key], inner, deeper)


def test_the_schema_is_closed() -> None:
    assert list(closed(SCHEMA, VALUES)) == []


@pytest.mark.parametrize("path", ["sed", "nats.clustered", "gateway.ingress.hosts", "seed.replica"])
def test_a_misspelt_value_is_refused_and_named(tool: Helm, path: str) -> None:
    with pytest.raises(RenderingError, match=path.rpartition(".")[2]):
        tool.manifests(values={path: "x"})


def mark(number: int, path: str, value: Any) -> Any:
    """A value that nobody else has, of the same shape."""
    word = f"mark{number}"
    if isinstance(value, bool) or path in CHOICES:
        return None
    if isinstance(value, int):
        return 3000 + number
    if isinstance(value, list):
        return [{"name": word, "key": word}] if path.rpartition(".")[2] in OBJECTS else [word]
    if isinstance(value, dict):
        return {"requests": {"cpu": word}} if path.endswith("resources") else {word: word}
    return word


OBJECTS = {"tolerations", "imagePullSecrets", "metricsFrom", "httpFrom", "egressTo"}
CHOICES = {
    "artifacts.kind": ("pvc", "s3"), "candidate.autoscaling.by": ("cpu", "lag"), "judge.autoscaling.by": ("cpu", "lag"),
    "cluster.training.accelerator": ("cpu", "cuda"), "serving.runtime": ("Predictor", "HuggingFace"),
    "cluster.serving.mode": ("Auto", "Knative"), "artifacts.pvc.accessModes": (["ReadWriteOnce"], ["ReadWriteMany"]),
    "image.pins": ({}, {"seed": "sha256:1"}), "models.files": ({}, {"own": {"models": []}}),
    "ledger.replicas": (1, 7),
}  # fmt: skip
EMBEDDED = {
    "nats.embedded": True, "nats.existingSecret": "", "nats.caConfigMap": "", "ledger.database.existingSecret": "",
    "artifacts.kind": "pvc", "artifacts.pvc.existingClaim": "", "gateway.ingress.tlsSecret": "", "image.pins": {},
    "ledger.replicas": 1, "nats.image.digest": "", "serving.runtime": "Predictor", "serving.service": "", "cluster.images": {},
}  # fmt: skip


def test_every_value_changes_what_is_rendered(tool: Helm) -> None:
    """Each gets a mark that has to be found again: with everything of one's own, or with everything embedded."""
    marks = {path: mark(number, path, value) for number, (path, value) in enumerate(LEAVES.items())}
    given = {path: value for path, value in marks.items() if value is not None}
    on = {path: True for path, value in LEAVES.items() if isinstance(value, bool) and path != "nats.embedded"}
    own = {
        "nats.embedded": False,
        "artifacts.kind": "s3",
        "cluster.namespaced": False,
        "telemetry.otlpEndpoint": "http://x:4317",
        "candidate.autoscaling.by": "lag",
    }
    scaled = {
        f"{name}.autoscaling.{key}": value
        for name in ("candidate", "judge")
        for key, value in (("enabled", False), ("by", "lag"))
    }
    worlds = [
        {**given, **on, **own},
        {**given, **on, **EMBEDDED, "candidate.autoscaling.by": "cpu", "judge.autoscaling.by": "cpu"},
        {**given, **on, **EMBEDDED, **scaled, "image.tag": ""},
        {
            **given,
            **on,
            **EMBEDDED,
            "candidate.autoscaling.by": "lag",
            "judge.autoscaling.by": "lag",
            **{path: given[path] for path in ("artifacts.pvc.existingClaim", "nats.image.digest")},
        },
    ]
    text = "".join(rendered(tool, world) for world in worlds)
    missing = [path for path, value in given.items() if found(value) not in text]
    assert missing == []


def found(value: Any) -> str:
    while isinstance(value, (dict, list)):
        value = next(iter(value.values() if isinstance(value, dict) else value))
    return str(value)


def rendered(tool: Helm, values: dict[str, Any]) -> str:
    pairs = [f"--set-json={path}={json.dumps(value)}" for path, value in values.items()]
    return tool.text(CHART, "--skip-schema-validation", *pairs)


def test_every_switch_and_choice_changes_what_is_rendered(tool: Helm) -> None:
    base = [f"--values={file}" for file in (*WORLDS["ci"], *WORLDS["external"])]
    unchanged = []
    switches = {path: (False, True) for path, value in LEAVES.items() if isinstance(value, bool)}
    for path, (one, other) in {**switches, **CHOICES}.items():
        around = {
            "artifacts.kind": "s3" if path == "artifacts.kind" else "pvc",
            "ledger.database.existingSecret": "database" if path == "ledger.replicas" else "",
            "ledger.replicas": 1, "image.pins": {}, "nats.existingSecret": "",
            **({"cluster.serving.mode": "Auto"} if path == "cluster.namespaced" else {}),
            **{f"{name}.autoscaling.enabled": True for name in ("candidate", "judge")},
        }  # fmt: skip
        texts = {
            tool.text(
                CHART, "--skip-schema-validation", *base,
                *(f"--set-json={key}={json.dumps(value)}" for key, value in {**around, path: choice}.items()),
            )
            for choice in (one, other)
        }  # fmt: skip
        if len(texts) == 1:
            unchanged.append(path)
    assert unchanged == []
