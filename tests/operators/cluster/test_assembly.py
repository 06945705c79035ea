"""Suites that were measured side by side, put together: the same as if one program had measured them all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from gyeol.cluster.assembly import TABLES, assembled
from gyeol.cluster.witness import UnprovenError, proven
from gyeol.evaluate.suite import SeedSource, Suite, shipped
from gyeol.reconcile.seen import Job
from support.evaluating import evaluated, peers
from support.openai_stub import openai_stub


def drawn(name: str) -> Suite:
    suite = shipped()[name]
    assert isinstance(suite.source, SeedSource)
    return suite.model_copy(update={"source": suite.source.model_copy(update={"items": 6})})


async def test_parts_become_what_one_evaluation_of_all_suites_writes(tmp_path: Path) -> None:
    suites = [drawn("cultural-safety"), drawn("over-refusal")]
    async with peers() as addresses, openai_stub() as stub:
        stub.answer("m", "그 부탁은 도와드릴 수 없습니다.")
        await evaluated(addresses, tmp_path / "whole", suites, stub.url)
        for number, suite in enumerate(suites):
            await evaluated(addresses, tmp_path / f"one/parts/{number}", [suite], stub.url)
    assembled(tmp_path / "one", 2)
    whole, one = (json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("whole", "one"))
    assert one | {"files": None} == whole | {"files": None}
    assert one["usage"]["tokens"] > 0
    for name in TABLES:
        assert pq.read_table(tmp_path / "one" / name).equals(pq.read_table(tmp_path / "whole" / name))
    proven(Job.EVALUATE_CANDIDATE, tmp_path / "one", "pvc://x/y")


def part(folder: Path, suite: str, **other: Any) -> Path:
    """The smallest part that is one."""
    folder.mkdir(parents=True)
    manifest = {
        "model_digest": "sha256:aa", "suites": {suite: {}}, "summary": [], "judged": [], "calibration": {},
        "generation": {"temperature": 0}, "usage": {"tokens": 0, "cost": None}, "made_at": "2026-11-30T12:00:00+00:00",
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest | other))
    return folder


@pytest.mark.parametrize(
    ("suite", "other", "said"),
    [
        ("two", {"model_digest": "sha256:bb"}, "model_digest"),
        ("two", {"generation": {"temperature": 1}}, "generation.temperature"),
        ("one", {}, "one was measured in two parts"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(
    tmp_path: Path, suite: str, other: dict[str, Any], said: str
) -> None:
    part(tmp_path / "parts/0", "one")
    part(tmp_path / "parts/1", suite, **other)
    with pytest.raises(UnprovenError, match=said):
        assembled(tmp_path, 2)
    assert not (tmp_path / "manifest.json").exists()


def test_a_part_that_is_missing_or_was_not_finished_is_refused(tmp_path: Path) -> None:
    part(tmp_path / "parts/0", "one")
    for _ in range(2):
        with pytest.raises(UnprovenError, match=r"parts/1/manifest\.json is not there: the job did not finish"):
            assembled(tmp_path, 2)
        (tmp_path / "parts/1").mkdir(exist_ok=True)


@pytest.mark.parametrize(
    ("costs", "cost"), [((None, "0.1"), None), (("0.2", "0.1"), "0.3"), ((None,), None)]
)  # fmt: skip
def test_a_cost_is_known_only_when_every_part_knows_its_own(
    tmp_path: Path, costs: tuple[str | None, ...], cost: str | None
) -> None:
    from gyeol.cluster.assembly import _usage

    assert _usage([{"tokens": 5, "cost": one} for one in costs]) == {"tokens": 5 * len(costs), "cost": cost}
    assert _usage([{"tokens": 0, "cost": None}, {"tokens": 5, "cost": "0.1"}])["cost"] == "0.1"
