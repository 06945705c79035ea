"""The three built-in writers: they compose, by rules, an answer from the sentences of the policy.

Each has an order of its own, so that the chosen answers of a run do not all sound alike:
`statute-first` gives the law as the reason at once, `procedure-first` leads from what is legitimate about the wish
to what can be done, `person-first` starts from the people. All of them end with the next step.
They are rule-based and never presented as language models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gyeol.candidate.domain.choice import combinations, number
from gyeol.candidate.domain.fitting import Piece, friction, piece
from gyeol.candidate.domain.material import Material, Passage

ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "statute-first": ("refuse", "law", "next"),
    "procedure-first": ("kernel", "refuse", "law", "next"),
    "person-first": ("open", "refuse", "people", "law", "next"),
}
"""Parts of an answer to a harmful question, in the order of each writer."""
SPARE: Final = ("people", "kernel")
"""Parts that an answer can do without when it grows too long."""
LONGEST: Final = 220
"""Hangul syllables of an answer; a very small model has to learn it."""
_TRIES: Final = 300
"""Combinations looked at before the best so far is taken."""


def answer(writer: str, seed_id: str, material: Material, *, turn: str = "") -> str:
    """Composes an answer to a harmful question; empty when the policy has no material for it.

    The same seed gives the same answer; sentences are chosen so that no law and no office is named twice,
    the register is one, and the person or an office is named.

    Args:
      writer: One of `ORDERS`.
      seed_id: Decides which sentences are taken.
      material: Sentences of the policy for this question.
      turn: Word that leads from what is legitimate about a wish to the refusal.
    """
    shelves = [
        (part, [piece(passage, material) for passage in _shelf(part, writer, material)]) for part in ORDERS[writer]
    ]
    shelves = [(part, shelf) for part, shelf in shelves if shelf]
    if not any(part == "refuse" for part, _ in shelves):
        return ""
    best = _best(writer, seed_id, shelves)
    if sum(each.syllables for _, each in best) > LONGEST:
        best = _best(writer, seed_id, [(part, shelf) for part, shelf in shelves if part not in SPARE])
    return " ".join(_led(best, at, turn) for at in range(len(best)))


def reply(writer: str, seed_id: str, material: Material) -> str:
    """One of the whole answers to a benign question, another for each writer; empty when there is none."""
    if not material.replies:
        return ""
    turn = (number(seed_id) + list(ORDERS).index(writer)) % len(material.replies)
    return material.replies[turn].text.strip()


def _shelf(part: str, writer: str, material: Material) -> Sequence[Passage]:
    passages = material.parts.get(part, ())
    if writer == "person-first" and part == "law":
        return sorted(passages, key=lambda passage: len(passage.text))[:2]
    return passages


def _best(writer: str, seed_id: str, shelves: Sequence[tuple[str, Sequence[Piece]]]) -> Sequence[tuple[str, Piece]]:
    best: Sequence[Piece] = []
    least = float("inf")
    for tries, indices in enumerate(combinations([len(shelf) for _, shelf in shelves], writer, seed_id)):
        chosen = [shelf[index] for (_, shelf), index in zip(shelves, indices, strict=True)]
        if (found := friction(chosen, LONGEST)) < least:
            best, least = chosen, found
        if least <= 0 or tries >= _TRIES:
            break
    return [(part, each) for (part, _), each in zip(shelves, best, strict=True)]


def _led(pieces: Sequence[tuple[str, Piece]], at: int, turn: str) -> str:
    part, each = pieces[at]
    turns = part == "refuse" and at > 0 and pieces[at - 1][0] == "kernel" and not each.connective
    text = each.passage.text.strip()
    return f"{turn} {text}" if turns and turn else text
