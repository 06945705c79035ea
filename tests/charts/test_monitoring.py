"""Dashboards and alerts ask for metrics that the services export."""

from __future__ import annotations

import importlib
import json
import re
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

from support.helm import CHARTS, Helm, one

FOLDER = CHARTS / "gyeol" / "monitoring"
DASHBOARDS = sorted(FOLDER.glob("*.json"))


def exported() -> dict[str, set[str]]:
    """Labels by sample name, of every metric that is registered on import."""
    for module in ("chassis.metrics", "cluster.cache", "cluster.desk", "predictor.engine.worker"):
        importlib.import_module(f"gyeol.{module}")
    found: dict[str, set[str]] = {}
    for metric in list(REGISTRY._collector_to_names):
        for name in REGISTRY._collector_to_names[metric]:
            found[name] = set(getattr(metric, "_labelnames", ()))
    return found


EXPORTED = exported()
ADDED = {"namespace", "pod", "le"}
"""Labels that Prometheus adds."""


def faults(expression: str) -> list[str]:
    names = set(re.findall(r"\bgyeol_\w+", expression))
    wrong = [name for name in names if name not in EXPORTED]
    labels = {label for name in names - set(wrong) for label in EXPORTED[name]} | ADDED
    grouped = {word.strip() for group in re.findall(r"by \(([^)]*)\)", expression) for word in group.split(",")}
    matched = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", expression))
    return wrong + [f"no label {label}" for label in (grouped | matched) - labels]


def expressions(dashboard: dict[str, Any]) -> list[str]:
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


@pytest.mark.parametrize("file", DASHBOARDS, ids=lambda path: path.stem)
def test_every_panel_asks_for_what_is_there(file: Any) -> None:
    dashboard = json.loads(file.read_text(encoding="utf-8"))
    assert {expression: faults(expression) for expression in expressions(dashboard) if faults(expression)} == {}
    places = [tuple(sorted(panel["gridPos"].items())) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)


def test_every_metric_of_the_chassis_is_on_a_dashboard() -> None:
    shown = "\n".join(text for file in DASHBOARDS for text in expressions(json.loads(file.read_text(encoding="utf-8"))))
    from gyeol.chassis import metrics

    own = {one._name for one in vars(metrics).values() if hasattr(one, "_labelnames")}
    assert [name for name in own if name not in shown] == []


def test_every_alert_asks_for_what_is_there(tool: Helm) -> None:
    rules = one(tool.world("ci"), "PrometheusRule", "gyeol")["spec"]["groups"][0]["rules"]
    assert {rule["alert"]: faults(rule["expr"]) for rule in rules if faults(rule["expr"])} == {}
    assert all(rule["annotations"]["summary"].endswith(".") for rule in rules)
    assert rules == yaml.safe_load((FOLDER / "alerts.yaml").read_text())["groups"][0]["rules"]


def test_every_service_is_scraped(tool: Helm) -> None:
    manifests = tool.world("ci")
    selector = one(manifests, "ServiceMonitor", "gyeol")["spec"]["selector"]["matchLabels"].items()
    scraped = {
        item["metadata"]["labels"]["app.kubernetes.io/name"]
        for item in manifests
        if item["kind"] == "Service"
        and selector <= item["metadata"]["labels"].items()
        and "metrics" in [port["name"] for port in item["spec"]["ports"]]
    }
    assert scraped == {"seed", "policy", "candidate", "judge", "ledger", "gateway", "cluster"}


def test_dashboards_are_in_a_config_map_that_grafana_finds(tool: Helm) -> None:
    config = one(tool.world("ci"), "ConfigMap", "gyeol-dashboards")
    assert config["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert {name: json.loads(text)["uid"] for name, text in config["data"].items()} == {
        "data-plane.json": "gyeol-data-plane",
        "operator.json": "gyeol-operator",
    }
