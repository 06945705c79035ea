"""Charts show what the numbers say, and nothing where there is no number."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyeol.gateway.console.chart import bar, plot, share, shown
from gyeol.gateway.view.run import MetricPoint, Tally


def rects(markup: str) -> dict[str, float]:
    return {
        rect.attrib["class"]: float(rect.attrib["width"])
        for rect in ElementTree.fromstring(markup)
        if rect.tag == "rect"
    }


def test_a_bar_is_as_long_as_its_counts() -> None:
    tally = Tally(name="judge", inputs=100, results=60, drops=30, failures=0, pending=10)
    widths = rects(bar(tally, 200, "judge", whole=80))
    assert widths == {"results": 300.0, "drops": 150.0, "pending": 50.0, "mark": 3.0}


def test_a_share_never_exceeds_the_whole() -> None:
    assert rects(share(7, 5, "x"))["results"] == 1000
    assert "results" not in rects(share(0, 5, "x"))
    assert "results" not in rects(share(3, 0, "x"))


def test_a_label_is_never_markup() -> None:
    tally = Tally(name="x", inputs=1, results=1, drops=0, failures=0, pending=0)
    assert "<b>" not in bar(tally, 1, '"><b>bold</b>')


def points(*values: float | None) -> list[MetricPoint]:
    return [MetricPoint(step=step * 10, value=value) for step, value in enumerate(values)]


def test_a_step_without_a_number_leaves_a_gap() -> None:
    markup = plot("loss", points(1, 0.8, None, 0.5, 0.4, None, 0.3), "step")
    assert len(re.findall("<polyline", markup)) == 2
    assert len(re.findall("<circle", markup)) == 1


def test_nothing_measured_draws_nothing() -> None:
    assert plot("loss", points(None, None), "step") == ""


@given(st.lists(st.none() | st.floats(-1e9, 1e9), min_size=1, max_size=30))
def test_every_point_lies_inside_the_plot(values: list[float | None]) -> None:
    markup = plot("m", points(*values), "step")
    for line in re.findall(r'points="([^"]+)"', markup):
        for pair in line.split():
            x, y = map(float, pair.split(","))
            assert 0 <= x <= 640
            assert 0 <= y <= 220


@pytest.mark.parametrize(("value", "text"), [(0.123456, "0.123"), (None, "–"), (12345.0, "1.23e+04"), (2.0, "2")])
def test_numbers_are_short(value: float | None, text: str) -> None:
    assert shown(value) == text
