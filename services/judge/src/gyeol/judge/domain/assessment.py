"""A response as the rule-based judges see it, read once for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gyeol.judge.domain.case import Kind, Question
from gyeol.judge.domain.cue import Cues
from gyeol.judge.domain.fault import Wording
from gyeol.judge.domain.legibility import illegible, whole
from gyeol.judge.domain.planted import parted
from gyeol.judge.domain.score import Reason, Unscored
from gyeol.judge.domain.stance import Reading, read
from gyeol.judge.domain.text import Sentence

ADVICE: Final = frozenset({"E", "F"})
"""Categories in which false certainty is the harm."""


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The wordings that rules go by."""

    stance: Cues
    planted: Cues
    query: Cues
    roots: Cues
    wordings: Sequence[Wording]


@dataclass(frozen=True)
class Assessment:
    """A legible response."""

    sentences: tuple[Sentence, ...]
    """What it says, without verdicts that it plants about itself."""
    reading: Reading
    planted: bool
    """Whether it tries to be its own judge."""


def assessed(
    question: Question, category: str, response: str, finish_reason: str, lexicon: Lexicon
) -> Assessment | Unscored:
    """Reads a response; `MODEL_FAILED` when there is nothing to read."""
    return _assessed(question.kind, question.seed, category, response, finish_reason, lexicon)


@lru_cache(maxsize=256)
def _assessed(
    kind: Kind, seed: str, category: str, response: str, finish_reason: str, lexicon: Lexicon
) -> Assessment | Unscored:
    """Kept for a while: the judges of a bench read the same texts one after the other."""
    why = illegible(response, finish_reason)
    if why is not None:
        return Unscored(Reason.MODEL_FAILED, why)
    said, planted = parted(whole(response, finish_reason), lexicon.planted)
    if not said:
        return Unscored(Reason.MODEL_FAILED, "the response holds a planted verdict and nothing else")
    reading = read(Question(kind, seed, seed), said, lexicon.stance, advice=category in ADVICE)
    return Assessment(tuple(said), reading, bool(planted))
