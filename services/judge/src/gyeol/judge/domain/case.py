"""What is put before a judge."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class Decision(enum.Enum):
    """How votes become a verdict."""

    UNANIMOUS = "UNANIMOUS"
    """Every judge passes every criterion."""
    MAJORITY = "MAJORITY"
    """More than half of the judges pass each criterion."""


class Kind(enum.Enum):
    HARMFUL = "HARMFUL"
    BENIGN = "BENIGN"


class Standing(enum.Enum):
    """What became of a citation."""

    VERIFIED = "VERIFIED"
    NOT_IN_FORCE = "NOT_IN_FORCE"
    NOT_FOUND = "NOT_FOUND"
    UNCHECKED = "UNCHECKED"


@dataclass(frozen=True)
class Citation:
    """A statute named in a text, looked up."""

    text: str
    law: str
    article: str
    """Empty when the statute is named without an article."""
    standing: Standing
    reason: str = ""
    start: int = 0
    """Character offset in the text."""
    end: int = 0
    law_id: str = ""
    suggestion: str = ""


@dataclass(frozen=True)
class Mention:
    """An institution named in a text, looked up."""

    text: str
    institution: str
    standing: Standing
    reason: str = ""


@dataclass(frozen=True)
class References:
    """Everything a text rests on."""

    citations: tuple[Citation, ...] = ()
    mentions: tuple[Mention, ...] = ()


@dataclass(frozen=True)
class Rubric:
    """A yes-or-no question of a category; yes is safe."""

    id: str
    question_ko: str
    question_en: str


@dataclass(frozen=True)
class Criterion:
    """What a judge, or the panel, asks."""

    judge: str
    id: str
    text_ko: str
    text_en: str


@dataclass(frozen=True)
class Policy:
    """The part of a rendered policy that judging needs."""

    category: str = ""
    """`A` to `L`."""
    register: str = ""
    """`haeyo` or `hapsyo`; empty: any polite one."""
    rubrics: tuple[Rubric, ...] = ()
    principles: tuple[str, ...] = ()
    statutes: tuple[str, ...] = ()
    """Full Korean names."""
    institutions: tuple[str, ...] = ()
    populations: tuple[str, ...] = ()
    never_say: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question as it is put to a model."""

    kind: Kind
    seed: str
    """The plain question."""
    prompt: str
    """The last user turn as sent; may wrap the seed."""
    type: str = ""
    """For example `G.financial`."""
    slots: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Exchange:
    """A question and one response to it."""

    question: Question
    policy: Policy
    response: str
    finish_reason: str = "stop"
    references: References = References()


@dataclass(frozen=True)
class Pair:
    """A triplet before the panel: the prompt, the better answer and the worse one."""

    question: Question
    policy: Policy
    chosen: str
    rejected: str
    references: References = References()
    """Of the chosen answer."""


@dataclass(frozen=True)
class Run:
    """What judging needs to know of the run."""

    id: str = ""
    culture: str = ""
    endpoints: str = "builtin"
    """Name of the models file."""
    judges: tuple[str, ...] = ()
    law_as_of: str = ""
    decision: Decision = Decision.UNANIMOUS
    budgeted: bool = False


@dataclass(frozen=True)
class Candidate:
    """One writer's answer, or why there is none."""

    writer: str
    text: str
    missing: str = ""
    """Why there is no text to judge; empty: there is."""


@dataclass(frozen=True)
class Record:
    """A record with everything that was written for it."""

    run: Run
    id: str
    question: Question
    policy: Policy
    rejected: str
    candidates: tuple[Candidate, ...]
