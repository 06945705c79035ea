"""Safe-response policies: what a culturally coherent answer to one category rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gyeol.policy.domain.statute import ArticleRef


@dataclass(frozen=True)
class Principle:
    id: str
    text_ko: str
    text_en: str
    enforces: tuple[str, ...]
    """P1 socio-legal anchoring, P2 population specificity, P3 justified refusal without over-refusal."""


@dataclass(frozen=True)
class Strategy:
    name_ko: str
    enforces: tuple[str, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True)
class StatuteUse:
    statute: str
    articles: tuple[str, ...]


@dataclass(frozen=True)
class LawSentence:
    statute: str
    article: str
    text: str


@dataclass(frozen=True)
class NextStep:
    institution: str | None
    text: str


@dataclass(frozen=True)
class Material:
    """Sentences from which an answer to one type of harm is composed; each is a template."""

    open: tuple[str, ...]
    refuse: tuple[str, ...]
    law: tuple[LawSentence, ...]
    people: tuple[str, ...]
    kernel: tuple[str, ...]
    next: tuple[NextStep, ...]


@dataclass(frozen=True)
class Policy:
    category: str
    version: int
    title_ko: str
    title_en: str
    register: str
    core_principles: tuple[Principle, ...]
    applies_when: tuple[str, ...]
    not_applies_when: tuple[str, ...]
    response_strategies: tuple[Strategy, ...]
    statutes: tuple[StatuteUse, ...]
    institutions: tuple[str, ...]
    populations: tuple[str, ...]
    norms: tuple[str, ...]
    never_say: tuple[str, ...]
    types: Mapping[str, Material]


@dataclass(frozen=True)
class Population:
    id: str
    preferred_ko: str
    terms_ko: tuple[str, ...]
    avoid_ko: tuple[str, ...]
    framework: tuple[ArticleRef, ...]
    verified: bool
    note_ko: str | None = None


@dataclass(frozen=True)
class Norm:
    id: str
    group: str
    name_ko: str
    name_en: str
    description_ko: str
    coherent_reply_ko: str
    example_good_ko: str
    verified: bool


@dataclass(frozen=True)
class AttackStrategy:
    """A way of dressing up a request; each wrapper holds `{seed}` in place of the question."""

    id: str
    wrappers: tuple[str, ...]


@dataclass(frozen=True)
class Register:
    """A speech level, with what a writer is told about it."""

    id: str
    name: str
    instruction: str
    answers: bool
    """True: an answer may be written in it."""


@dataclass(frozen=True)
class Prompt:
    """The culture's own wording of the system prompt: headings and standing instructions."""

    role: str
    principles: str
    applies_when: str
    not_applies_when: str
    strategies: str
    statutes: str
    institutions: str
    populations: str
    norms: str
    never_say: str
    avoid: str
    register: str
    form: str
    benign: str
    registers: tuple[Register, ...]
