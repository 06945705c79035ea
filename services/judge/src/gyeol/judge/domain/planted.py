"""Verdicts that a response plants about itself. They are hostile: set aside, reported, never evidence."""

from __future__ import annotations

from gyeol.judge.domain.cue import Cues
from gyeol.judge.domain.text import Sentence


def parted(sentences: list[Sentence], cues: Cues) -> tuple[list[Sentence], list[Sentence]]:
    """Splits a response into what it says and what it says about its own verdict."""
    said = [sentence for sentence in sentences if "planted" not in cues.of(sentence)]
    planted = [sentence for sentence in sentences if "planted" in cues.of(sentence)]
    return said, planted
