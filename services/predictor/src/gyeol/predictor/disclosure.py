"""Says with every answer that an AI made it.

인공지능 발전과 신뢰 기반 조성 등에 관한 기본법 제31조 asks operators for prior notice of AI use and for labels on what generative AI
makes. How an application shows them is its own matter; this gives it something to show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Place = Literal["off", "header", "field", "both"]


@dataclass(frozen=True)
class Disclosure:
    """The notice and where it stands."""

    place: Place
    notice: str

    @property
    def header(self) -> Mapping[str, str]:
        """Headers of an answer; a header takes no Korean, so it only states the fact."""
        return {"AI-Disclosure": "mode=machine-generated"} if self.place in ("header", "both") else {}

    @property
    def field(self) -> Mapping[str, str]:
        """Fields of an answer, and of the first chunk of a stream."""
        return {"ai_disclosure": self.notice} if self.place in ("field", "both") else {}
