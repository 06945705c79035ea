"""Charts as inline SVG: bars of what became of records, lines of training metrics. Colours come from the style sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from gyeol.gateway.view.run import MetricPoint, Tally

_WIDTH = 1000
_PARTS = ("results", "drops", "failures", "pending")

_PLOT = (640, 220)
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 10, 26


def bar(tally: Tally, widest: int, label: str, whole: int = 0) -> Markup:
    """What became of the records of one stage or stratum, as one stacked bar.

    Args:
      tally: The counts.
      widest: Count that fills the whole width.
      label: For those who do not see it.
      whole: Count that a mark shows, for example a target; 0: no mark.
    """
    scale = _WIDTH / max(widest, 1)
    rects, x = [], 0.0
    for part in _PARTS:
        width = getattr(tally, part) * scale
        if width:
            rects.append(f'<rect class="{part}" x="{x:.1f}" y="0" width="{width:.1f}" height="20"/>')
            x += width
    mark = (
        f'<rect class="mark" x="{min(whole * scale, _WIDTH - 3):.1f}" y="-3" width="3" height="26"/>' if whole else ""
    )
    return _svg(f"0 -3 {_WIDTH} 26", "bar", label, "".join(rects) + mark)


def share(count: int, whole: int, label: str, part: str = "results") -> Markup:
    """How much of a whole is there, in the colour of a part of the books."""
    width = _WIDTH * min(count / whole, 1) if whole else 0
    body = f'<rect class="rest" width="{_WIDTH}" height="12" rx="6"/>'
    if width:
        body += f'<rect class="{part}" width="{width:.1f}" height="12" rx="6"/>'
    return _svg(f"0 0 {_WIDTH} 12", "share", label, body)


@dataclass(frozen=True, slots=True)
class _Axis:
    low: float
    high: float
    ticks: tuple[float, ...]


def plot(name: str, points: Sequence[MetricPoint], step_word: str) -> Markup:
    """A metric over training steps; steps without a number leave a gap."""
    known = [(point.step, point.value) for point in points if point.value is not None]
    if not known:
        return Markup("")
    width, height = _PLOT
    x_axis = _Axis(float(points[0].step), float(max(points[-1].step, points[0].step + 1)), ())
    y_axis = _axis(min(value for _, value in known), max(value for _, value in known))

    def x(step: float) -> float:
        return _LEFT + (step - x_axis.low) / (x_axis.high - x_axis.low) * (width - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _TOP + (y_axis.high - value) / (y_axis.high - y_axis.low) * (height - _TOP - _BOTTOM)

    grid = "".join(
        f'<line class="grid" x1="{_LEFT}" x2="{width - _RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>'
        f'<text class="tick" x="{_LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{_shown(tick)}</text>'
        for tick in y_axis.ticks
    )
    ends = (
        f'<text class="tick" x="{_LEFT}" y="{height - 6}">{points[0].step}</text>'
        f'<text class="tick" x="{width - _RIGHT}" y="{height - 6}" text-anchor="end">{step_word} {points[-1].step}</text>'
    )
    lines = "".join(
        f'<polyline class="line" points="{" ".join(f"{x(step):.1f},{y(value):.1f}" for step, value in piece)}"/>'
        if len(piece) > 1
        else f'<circle class="dot" cx="{x(piece[0][0]):.1f}" cy="{y(piece[0][1]):.1f}" r="3"/>'
        for piece in _pieces(points)
    )
    label = f"{name}: {_shown(known[0][1])} → {_shown(known[-1][1])}"
    return _svg(f"0 0 {width} {height}", "plot", label, grid + ends + lines)


def shown(value: float | None) -> str:
    """A number as people read it."""
    return "–" if value is None else _shown(value)


def _pieces(points: Sequence[MetricPoint]) -> list[list[tuple[int, float]]]:
    """Runs of points without a gap."""
    pieces: list[list[tuple[int, float]]] = [[]]
    for point in points:
        if point.value is None:
            pieces.append([])
        else:
            pieces[-1].append((point.step, point.value))
    return [piece for piece in pieces if piece]


def _axis(low: float, high: float) -> _Axis:
    """Round ticks around the values: steps of 1, 2 or 5 times a power of ten."""
    if high - low < 1e-12:
        pad = abs(high) * 0.1 or 1.0
        low, high = low - pad, high + pad
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = tuple(number * step for number in range(first, last + 1))
    return _Axis(ticks[0], ticks[-1], ticks)


def _shown(value: float) -> str:
    return f"{value:.3g}" if abs(value) < 1e5 else f"{value:.2e}"


def _svg(box: str, kind: str, label: str, body: str) -> Markup:
    # The body holds numbers and our own words only; the label may hold anything and is escaped.
    fit = ' preserveAspectRatio="none"' if kind != "plot" else ""
    frame = Markup('<svg class="{}" viewBox="{}" role="img" aria-label="{}"{}>').format(kind, box, label, Markup(fit))  # noqa: S704
    return frame + Markup(body) + Markup("</svg>")  # noqa: S704
