"""The final table: what its numbers rest on."""

from __future__ import annotations

import io

from rich.console import Console

from gyeol.local.kept import Measure
from gyeol.local.result import Comparison, Result
from gyeol.local.table import APART, show


def shown(before: Measure, after: Measure) -> str:
    out = io.StringIO()
    result = Result(
        run_id="ko-1",
        state="Succeeded",
        verdict="Pass",
        why="",
        seeds=360,
        answered=203,
        drops={},
        failures=0,
        accepted_harmful=120,
        accepted_benign=80,
        calls=1,
        cached_calls=0,
        training={},
        comparisons=(Comparison("over-refusal", "refused", before, after),),
        criteria=(),
    )
    show(result, Console(file=out, width=200))
    return out.getvalue()


def measure(scored: int) -> Measure:
    return Measure(suite="over-refusal", metric="refused", mean=0.5, low=0.4, high=0.6, scored=scored, items=202)


def test_each_side_shows_the_items_that_it_rests_on() -> None:
    told = shown(measure(202), measure(198))
    assert told.index("202/202") < told.index("198/202")
    assert APART in told


def test_sides_that_scored_everything_need_no_caveat() -> None:
    told = shown(measure(202), measure(202))
    assert told.count("202/202") == 2
    assert APART not in told


def test_benign_seeds_are_not_called_mined() -> None:
    (line,) = [one for one in shown(measure(1), measure(1)).splitlines() if "203" in one]
    assert "harmful questions mined, benign ones answered" in line
