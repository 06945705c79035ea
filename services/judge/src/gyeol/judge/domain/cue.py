"""Cues: what a sentence gives away about the stance of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from gyeol.judge.domain.text import Sentence, fold


@dataclass(frozen=True)
class Cue:
    """A family of wordings."""

    name: str
    ko: re.Pattern[str] | None
    """Matched without spaces."""
    en: re.Pattern[str] | None
    """Matched with spaces."""


@dataclass(frozen=True)
class Cues:
    """Families of wordings by name."""

    by_name: Mapping[str, Cue]

    def of(self, sentence: Sentence) -> frozenset[str]:
        """Names of the families that the sentence belongs to."""
        squeezed, spaced = sentence.squeezed, fold(sentence.text)
        return frozenset(
            name
            for name, cue in self.by_name.items()
            if (cue.ko is not None and cue.ko.search(squeezed)) or (cue.en is not None and cue.en.search(spaced))
        )
