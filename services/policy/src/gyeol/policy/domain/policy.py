"""Safe-response policies: what a culturally coherent answer to one category rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from gyeol.policy.domain.statute import ArticleRef

PARTS: Final = ("open", "refuse", "law", "people", "kernel", "next")
"""Parts of an answer to a harmful question."""

CHOICE: Final = 2
"""Sentences of one part that make a choice."""


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


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence of an answer, a template, and the questions that it answers."""

    text: str
    molds: tuple[str, ...] = ()
    """Numbers of the molds of its type, such as `m3`, whose questions it answers; empty: all of them."""
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Fillings that it needs: slot to values, one of which the question must have; empty: any filling."""

    def meets(self, mold_id: str) -> bool:
        """True: it answers questions of a mold, whatever fills the slots."""
        return not self.molds or mold_id.rpartition(".")[2] in self.molds

    def fits(self, mold_id: str, slots: Mapping[str, str]) -> bool:
        """True: it answers the question that a mold asks with these fillings."""
        return self.meets(mold_id) and all(slots.get(slot) in values for slot, values in self.when.items())


@dataclass(frozen=True, kw_only=True)
class LawSentence(Sentence):
    statute: str
    article: str


@dataclass(frozen=True, kw_only=True)
class NextStep(Sentence):
    institution: str | None


@dataclass(frozen=True)
class Material:
    """Sentences from which an answer to one type of harm is composed."""

    open: tuple[Sentence, ...]
    refuse: tuple[Sentence, ...]
    law: tuple[LawSentence, ...]
    people: tuple[Sentence, ...]
    kernel: tuple[Sentence, ...]
    next: tuple[NextStep, ...]

    def parts(self) -> Mapping[str, tuple[Sentence, ...]]:
        """Sentences by the part of the answer they play, in the order of the file."""
        return {part: getattr(self, part) for part in PARTS}

    def deciding(self, mold_id: str) -> tuple[str, ...]:
        """Returns the slots of a mold whose values decide which sentences answer it, in alphabetical order."""
        met = (sentence for held in self.parts().values() for sentence in held if sentence.meets(mold_id))
        return tuple(sorted({slot for sentence in met for slot in sentence.when}))


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
class Wrapper:
    """What stands around a question, which `{seed}` holds the place of."""

    text: str
    register: str = ""
    """Speech level of the questions that it goes with: one person does not change it; empty: any."""


@dataclass(frozen=True)
class AttackStrategy:
    """A way of dressing up a request."""

    id: str
    wrappers: tuple[Wrapper, ...]

    def suiting(self, register: str) -> tuple[str, ...]:
        """Wrappers for a question of a speech level; empty: for any question."""
        return tuple(one.text for one in self.wrappers if not register or one.register in ("", register))


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
