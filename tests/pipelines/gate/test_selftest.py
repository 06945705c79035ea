"""What `gyeol gate check` finds out about a policy before any model is measured."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from gyeol.gate.selftest import self_test
from support.gating import policy


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "gyeol.gate", "check", *arguments], capture_output=True, text=True)


def test_a_thousand_gates_of_an_unchanged_model_pass_no_more_often_than_alpha() -> None:
    checked = check("ko-default", "--json")
    assert checked.returncode == 0, checked.stderr
    said = json.loads(checked.stdout)
    assert (said["simulations"], said["sound"], said["alpha"]) == (1000, True, 0.05)
    assert 0 < said["false_pass"] <= said["alpha"]
    assert said["power"] >= 0.8
    assert 0 < said["minimal_detectable_effect"] <= 0.2


def test_molds_that_share_their_luck_do_not_raise_the_share_of_false_passes() -> None:
    document = policy().spec.model_dump(mode="json", by_alias=True)
    safer, _, _, _, measured = document["criteria"]
    world = document["selfTest"] | {"items": 120, "itemsPerCluster": 4}
    only = policy(criteria=[safer | {"minimumEffect": "0.25"}, measured], selfTest=world)
    tested = self_test(only, simulations=150, seed=7)
    # Three standard errors of the simulation itself.
    assert tested.false_pass <= 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5
    assert tested.power > 0.5


def test_a_policy_that_would_let_noise_pass_is_seen_through() -> None:
    safer, _, _, _, measured = policy().spec.model_dump(mode="json", by_alias=True)["criteria"]
    assert self_test(policy(alpha="0.40", criteria=[safer, measured]), simulations=200, seed=1).false_pass > 0.2


def test_every_simulated_gate_is_counted_for_whoever_waits() -> None:
    counted: list[None] = []
    self_test(policy(), simulations=100, seed=1, advance=lambda: counted.append(None))
    assert len(counted) == 200


def test_a_policy_without_the_rates_of_its_world_is_refused_by_name(tmp_path_factory: pytest.TempPathFactory) -> None:
    import yaml

    document = policy().model_dump(mode="json", by_alias=True)
    del document["spec"]["selfTest"]["rates"]["mcq/correct"]
    path = tmp_path_factory.mktemp("policy") / "mine.yaml"
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    checked = check(str(path))
    assert checked.returncode == 2
    assert "spec.selfTest.rates lacks 'mcq/correct'" in " ".join(checked.stderr.split())
