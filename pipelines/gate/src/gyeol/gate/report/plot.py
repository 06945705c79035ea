"""Plots of a verdict as SVG text, drawn by matplotlib.

Text stays text (`svg.fonttype: none`), so that the reader's own font shows Hangul and a screen reader can read it.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt

_WIDTH = 4.4
"""Inches: about the width of a phone, where text then has its own size; wider screens scale it up."""
_INK, _BASELINE, _CANDIDATE = "#3a3f45", "#b8bec6", "#2f6f62"
_RESULT = {"Pass": "#2f6f62", "Fail": "#b3402a", "Inconclusive": "#a77b1c"}
_STYLE: Any = {"svg.fonttype": "none", "font.family": "sans-serif", "axes.edgecolor": _INK, "text.color": _INK, "axes.labelcolor": _INK,
          "font.size": 11, "xtick.color": _INK, "ytick.color": _INK, "axes.spines.top": False, "axes.spines.right": False, "svg.hashsalt": "gyeol"}  # fmt: skip


def forest(criteria: Sequence[Mapping[str, Any]]) -> str:
    """Forest plot: the change of every criterion that has one, with its interval; empty when none has."""
    rows = [one for one in criteria if one["overall"] and one["overall"]["change"]["estimate"] is not None]
    if not rows:
        return ""
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(_WIDTH, 0.9 + 0.36 * len(rows)), layout="constrained")
        for y, one in enumerate(reversed(rows)):
            change = one["overall"]["change"]
            low = change["low"] if change["low"] is not None else change["estimate"]
            high = change["high"] if change["high"] is not None else change["estimate"]
            colour = _RESULT[one["result"]]
            axes.plot([100 * low, 100 * high], [y, y], color=colour, linewidth=2, solid_capstyle="round")
            axes.plot([100 * change["estimate"]], [y], marker="o", markersize=7, color=colour)
        axes.axvline(0, color=_INK, linewidth=0.8)
        axes.set_yticks(range(len(rows)), [one["name"] for one in reversed(rows)])
        axes.set_ylim(-0.6, len(rows) - 0.4)
        axes.set_xlabel("change · 변화 (%p)")
        return _svg(figure)


def bars(strata: Sequence[Mapping[str, Any]], metric: str) -> str:
    """Bars per stratum: baseline beside candidate, intervals as whiskers."""
    rows = sorted(strata, key=lambda one: one["stratum"])
    with plt.rc_context(_STYLE):
        figure, axes = plt.subplots(figsize=(_WIDTH, 0.9 + 0.42 * max(1, len(rows))), layout="constrained")
        for side, offset, colour in (("baseline", 0.19, _BASELINE), ("candidate", -0.19, _CANDIDATE)):
            for y, one in enumerate(reversed(rows)):
                level = one[side]
                if level["estimate"] is None:
                    continue
                axes.barh(
                    y + offset, 100 * level["estimate"], height=0.34, color=colour, label=side if y == 0 else None
                )
                if level["low"] is not None and level["high"] is not None:
                    axes.plot([100 * level["low"], 100 * level["high"]], [y + offset] * 2, color=_INK, linewidth=1)
        axes.set_yticks(range(len(rows)), [one["stratum"] for one in reversed(rows)])
        axes.set_xlim(0, 100)
        axes.set_xlabel(f"{metric} (%)")
        if rows:
            figure.legend(loc="outside upper center", ncols=2, frameon=False)
        return _svg(figure)


def _svg(figure: Any) -> str:
    text = io.StringIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(text, format="svg", transparent=True, metadata={"Date": None})
    plt.close(figure)
    svg = text.getvalue()
    return svg[svg.index("<svg") :]
