"""One sentence of reason per finding, in Korean and in English."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gyeol.gate.wording import EN, KO

_UNSIGNED = ("by", "effect", "margin", "mde")
_SHARES = ("power", "share")
_WORST = ("below-floor", "above-floor", "above-ceiling", "below-ceiling", "not-surely-within")
"""Sentences about the worst of all strata; others are about a stratum for another reason."""


@dataclass(frozen=True, init=False)
class Reason:
    """A stable code with the numbers that its sentence shows.

    Changes are shown in percentage points, levels in per cent.
    """

    code: str
    numbers: Mapping[str, Any]

    def __init__(self, code: str, **numbers: Any) -> None:
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "numbers", numbers)

    @property
    def en(self) -> str:
        return self._sentence(EN, " points", "Worst stratum {}: ", "{}: ", "change ")

    @property
    def ko(self) -> str:
        return self._sentence(KO, "%p", "가장 나쁜 층 {}: ", "{}: ", "변화량 ")

    def _sentence(self, sentences: Mapping[str, str], unit: str, worst: str, plain: str, change: str) -> str:
        changes = "gain" in self.numbers or self.numbers.get("of") == "change"
        shown = {name: _shown(name, value, unit if changes else "") for name, value in self.numbers.items()}
        if "gain" in self.numbers:
            shown["by"] = _shown("by", abs(self.numbers["gain"]), unit)
        stratum = self.numbers.get("stratum")
        place = (worst if self.code in _WORST else plain).format(stratum) if stratum else ""
        what = change if self.numbers.get("of") == "change" else ""
        where = place + what if place else what.capitalize()
        return sentences[self.code].format(**{**shown, "where": where, "place": place})


def _shown(name: str, value: Any, unit: str) -> str:
    """A number as people read it; `unit` is that of a difference, empty where numbers are levels."""
    if not isinstance(value, float):
        return str(value)
    if name == "p":
        return f"p = {value:.4f}" if value >= 0.0001 else "p < 0.0001"
    if name in _SHARES:
        return f"{value:.1%}"
    if not unit:
        return f"{value:z.1%}"
    return f"{100 * value:z.1f}{unit}" if name in _UNSIGNED else f"{100 * value:+z.1f}{unit}"
