"""A gate over many items is quick and does not need more memory than the items do."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gyeol.gate.job import gate
from gyeol.gate.policy import GatePolicy
from support.evaluation import evaluation, rows

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
CHILD = """
import datetime as dt, resource, sys
from pathlib import Path
from gyeol.gate.evidence import evidence
from gyeol.gate.job import gate
from support.gating import policy
folder = Path(sys.argv[1])
gate(folder / "small", folder / "small", policy(), folder / "warm", dt.datetime(2026, 11, 30, tzinfo=dt.UTC))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
gate(folder / "b", folder / "c", policy(), folder / "gate", dt.datetime(2026, 11, 30, tzinfo=dt.UTC))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def outcomes(count: int, share: float, seed: int) -> list[float | None]:
    drawn = np.random.default_rng(seed).random(count) < share
    return [float(value) for value in drawn]


def grades(count: int, mean: float, seed: int) -> list[float | None]:
    """Values that are all different."""
    return [float(value) for value in np.random.default_rng(seed).normal(mean, 0.5, count)]


def twelve() -> GatePolicy:
    names = [f"s{number}" for number in range(12)]
    criteria = [
        {
            "name": f"better-{name}",
            "kind": "superiority",
            "suite": name,
            "metric": "m",
            "direction": "higher",
            "minimumEffect": "0.05",
        }
        for name in names[:11]
    ] + [{"name": "measured", "kind": "coverage", "suite": "s11", "metric": "m", "threshold": "0.95"}]
    world = {"items": 100, "itemsPerCluster": 1, "discordance": "0.2", "rates": {f"{name}/m": "0.5" for name in names}}
    spec = {
        "alpha": "0.05", "power": "0.80", "expires": "2027-06-30", "judgeCorrection": "None", "criteria": criteria, "selfTest": world,
    }  # fmt: skip
    return GatePolicy.model_validate(
        {"apiVersion": "gyeol.dev/v1alpha1", "kind": "GatePolicy", "metadata": {"name": "twelve"}, "spec": spec}
    )


@pytest.mark.parametrize("drawn", [outcomes, grades])
def test_ten_thousand_items_under_twelve_criteria_take_less_than_five_seconds(
    tmp_path: Path, drawn: Callable[[int, float, int], list[float | None]]
) -> None:
    sides = []
    for side, share in (("b", 0.5), ("c", 0.6)):
        listed = [
            row
            for number in range(12)
            for row in rows(f"s{number}", "m", drawn(10_000, share, number), strata=12, per_cluster=4)
        ]
        sides.append(evaluation(tmp_path / side, listed))
    begun = time.process_time()
    baseline, candidate = sides
    document = gate(baseline, candidate, twelve(), tmp_path / "gate", NOW).document
    spent = time.process_time() - begun
    assert document["verdict"] == "Pass"
    assert spent < 5, "seconds of processor time: others may be using this machine"


def test_a_hundred_thousand_items_are_judged_in_bounded_memory(tmp_path: Path) -> None:
    for side, share, count in (("small", 0.5, 100), ("b", 0.5, 100_000), ("c", 0.6, 100_000)):
        evaluation(tmp_path / side, rows("safety", "safe", grades(count, share, 1), strata=40, per_cluster=4))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path)],
        capture_output=True, text=True, check=True, env={"PYTHONPATH": "tests", "PATH": "/usr/bin:/bin", "MPLCONFIGDIR": str(tmp_path)},
    )  # fmt: skip
    assert int(done.stdout) < 500, "MiB beyond a gate over a hundred items"
    assert (tmp_path / "gate" / "verdict.json").exists()


@pytest.mark.parametrize("count", [0, 1])
def test_a_gate_over_nothing_is_no_pass(tmp_path: Path, count: int) -> None:
    side = evaluation(tmp_path / "b", rows("s0", "m", [1.0] * count))
    assert gate(side, side, twelve(), tmp_path / "gate", NOW).document["verdict"] == "Inconclusive"
