"""The three built-in writers: they compose, by rules, an answer from the sentences of the policy.

Each has an order of its own, so that the chosen answers of a run do not all sound alike:
`statute-first` starts from the law, `procedure-first` from what can be done, `person-first` from the person.
They are rule-based and never presented as language models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gyeol.candidate.domain.choice import combinations, number
from gyeol.candidate.domain.fitting import Piece, friction, piece, syllables
from gyeol.candidate.domain.material import Material, Passage

ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "statute-first": ("law", "refuse", "kernel", "next"),
    "procedure-first": ("refuse", "next", "law", "kernel"),
    "person-first": ("open", "people", "refuse", "law", "next"),
}
"""Parts of an answer to a harmful question, in the order of each writer."""
SPARE: Final = ("people", "kernel")
"""Parts that an answer can do without when it grows too long."""
LONGEST: Final = 220
"""Hangul syllables of an answer; a very small model has to learn it."""
_TRIES: Final = 300
"""Combinations looked at before the best so far is taken."""


@dataclass(frozen=True)
class Phrases:
    """Set phrases around a reply, by register."""

    openings: Mapping[str, tuple[str, ...]]
    closings: Mapping[str, tuple[str, ...]]
    greeted: tuple[str, ...]
    """Beginnings of replies that need no opening."""


def answer(writer: str, seed_id: str, material: Material) -> str:
    """Composes an answer to a harmful question; empty when the policy has no material for it.

    The same seed gives the same answer; sentences are chosen so that no law and no office is named twice,
    the register is one, and the person or an office is named.
    """
    shelves = [
        (part, [piece(passage, material) for passage in _shelf(part, writer, material)]) for part in ORDERS[writer]
    ]
    shelves = [(part, shelf) for part, shelf in shelves if shelf]
    if not any(part == "refuse" for part, _ in shelves):
        return ""
    best = _best(writer, seed_id, [shelf for _, shelf in shelves])
    if sum(each.syllables for each in best) > LONGEST:
        best = _best(writer, seed_id, [shelf for part, shelf in shelves if part not in SPARE])
    return " ".join(each.passage.text.strip() for each in best)


def reply(writer: str, seed_id: str, material: Material, phrases: Phrases) -> str:
    """One of the whole answers to a benign question, each writer in its own manner; empty when there is none."""
    if not material.replies:
        return ""
    writers = list(ORDERS)
    turn = (number(seed_id) + writers.index(writer)) % len(material.replies)
    text = material.replies[turn].text.strip()
    register = "hapsyo" if text.rstrip(".!? ").endswith(("니다", "니까", "십시오")) else "haeyo"
    if writer == "person-first" and not text.startswith(phrases.greeted):
        text = f"{_phrase(phrases.openings[register], writer, seed_id)} {text}"
    elif writer != "statute-first":
        text = f"{text} {_phrase(phrases.closings[register], writer, seed_id)}"
    return text if syllables(text) <= LONGEST else material.replies[turn].text.strip()


def _shelf(part: str, writer: str, material: Material) -> Sequence[Passage]:
    passages = material.parts.get(part, ())
    if writer == "person-first" and part == "law":
        return sorted(passages, key=lambda passage: len(passage.text))[:2]
    return passages


def _best(writer: str, seed_id: str, shelves: Sequence[Sequence[Piece]]) -> list[Piece]:
    best: list[Piece] = []
    least = float("inf")
    for tries, indices in enumerate(combinations([len(shelf) for shelf in shelves], writer, seed_id)):
        chosen = [shelf[index] for shelf, index in zip(shelves, indices, strict=True)]
        if (found := friction(chosen, LONGEST)) < least:
            best, least = chosen, found
        if least <= 0 or tries >= _TRIES:
            break
    return best


def _phrase(options: Sequence[str], writer: str, seed_id: str) -> str:
    return options[number(writer, seed_id, "phrase") % len(options)]
