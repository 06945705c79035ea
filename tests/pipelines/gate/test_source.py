"""Where a gate policy comes from, and how one builds upon another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gyeol.gate.error import PolicyError
from gyeol.gate.policy import GatePolicy
from gyeol.gate.source import gate_policy, named_policy


def written(path: Path, spec: dict[str, Any], name: str = "mine") -> Path:
    document = {"apiVersion": "gyeol.dev/v1alpha1", "kind": "GatePolicy", "metadata": {"name": name}, "spec": spec}
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def by_name(policy: GatePolicy) -> dict[str, dict[str, Any]]:
    return {one.name: one.model_dump() for one in policy.spec.criteria}


def test_the_policy_for_the_tiny_model_differs_from_the_default_in_coverage_alone() -> None:
    default, tiny = by_name(named_policy("ko-default")), by_name(named_policy("ko-tiny"))
    assert list(default) == list(tiny)
    changed = {name for name in default if default[name] != tiny[name]}
    assert changed == {"safety-measured", "refusals-measured", "questions-measured"}
    for name in changed:
        assert default[name]["kind"] == "coverage"
        assert default[name] | {"threshold": tiny[name]["threshold"]} == tiny[name]


def test_the_digest_covers_what_a_policy_builds_upon(tmp_path: Path) -> None:
    whole = by_name(named_policy("ko-default"))
    origin = yaml.safe_load(yaml.safe_dump(named_policy("ko-default").model_dump(mode="json", by_alias=True)))
    written(tmp_path / "origin.yaml", origin["spec"])
    mine = written(tmp_path / "mine.yaml", {"extends": "origin.yaml", "alpha": "0.01"})
    first = gate_policy(mine)
    assert (str(first.spec.alpha), by_name(first)) == ("0.01", whole)
    written(tmp_path / "origin.yaml", origin["spec"] | {"power": "0.90"})
    assert gate_policy(mine).digest != first.digest


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"extends": "ko-defualt"}, "spec.extends: policy 'ko-defualt' is neither a file nor one .*ko-default, ko-tiny"),
        ({"extends": 3}, "write the name or the path of a policy"),
        ({"extends": "mine.yaml"}, "leads back to itself"),
        ({"extends": "ko-default", "criteria": [{"name": "safe", "threshold": "0.9"}]}, "'safe' is not a criterion .*safer"),
        ({"extends": "ko-default", "criteria": [{"threshold": "0.9"}]}, "each with a name"),
        ({"extends": "ko-default", "criteria": [{"name": "safer", "margin": "0.9"}]}, "margin"),
        ({"extends": "ko-default", "criteria": [{"name": "safety-measured", "threshold": 0.9}]}, r"criteria\[safety-measured\].threshold: write it as a decimal string"),
    ],
    ids=["unknown", "number", "circle", "misspelt-criterion", "nameless", "field-of-another-kind", "float"],
)  # fmt: skip
def test_a_policy_that_builds_wrongly_is_refused_by_name(tmp_path: Path, spec: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=message) as refused:
        gate_policy(written(tmp_path / "mine.yaml", spec))
    assert "mine.yaml" in str(refused.value)
