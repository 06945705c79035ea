"""Text templates with slots, Korean particles and optional clauses.

    {target}                 the value of a slot
    {target}{을/를}           a particle that fits whatever text stands before it
    [[ {purpose} 때문에]]      a clause that is left out, with one space, when a slot in it has no value

There is no other syntax. Text is NFC on the way in and on the way out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from gyeol.chassis.errors import InvalidError
from gyeol.chassis.josa import josa, pair_of

_SLOT_NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
_TOKEN: Final = re.compile(r"\[\[|\]\]|\{[^{}]*\}|[{}]")


class TemplateSyntaxError(InvalidError):
    """The template is malformed; the message shows where."""


class SlotMissingError(InvalidError):
    """A slot outside an optional clause has no value."""


@dataclass(frozen=True)
class Slot:
    name: str


@dataclass(frozen=True)
class Particle:
    after_consonant: str
    after_vowel: str


@dataclass(frozen=True)
class Clause:
    """A part that is only rendered when every slot in it has a value."""

    parts: tuple[str | Slot | Particle, ...]


Part = str | Slot | Particle | Clause


@dataclass(frozen=True)
class Template:
    """A parsed template."""

    parts: tuple[Part, ...]

    @property
    def required(self) -> frozenset[str]:
        """Slots that must have a value."""
        return frozenset(part.name for part in self.parts if isinstance(part, Slot))

    @property
    def optional(self) -> frozenset[str]:
        """Slots that occur in optional clauses only."""
        clauses = (part for part in self.parts if isinstance(part, Clause))
        return frozenset(inner.name for c in clauses for inner in c.parts if isinstance(inner, Slot)) - self.required

    def render(self, values: Mapping[str, str]) -> str:
        """Fills the slots and chooses the particles.

        Raises:
          SlotMissingError: A required slot has no value.
        """
        text = ""
        dropped = False
        for part in self.parts:
            if isinstance(part, Clause):
                if all(values.get(inner.name) for inner in part.parts if isinstance(inner, Slot)):
                    text = _extended(text, part.parts, values)
                else:
                    dropped = not text or text.endswith(" ")
                    continue
            else:
                if dropped and isinstance(part, str):
                    part = part.removeprefix(" ")
                text = _extended(text, (part,), values)
            dropped = False
        return unicodedata.normalize("NFC", text.rstrip(" ") if dropped else text)


def _extended(text: str, parts: Sequence[str | Slot | Particle], values: Mapping[str, str]) -> str:
    for part in parts:
        if isinstance(part, str):
            text += part
        elif isinstance(part, Particle):
            text += josa(text, part.after_consonant, part.after_vowel)
        elif value := values.get(part.name):
            text += value
        else:
            raise SlotMissingError(f"slot {{{part.name}}} has no value: give one, or put it into [[ ]]")
    return text


@lru_cache(maxsize=4096)
def template(text: str) -> Template:
    """Parses a template, or returns it from the store of those parsed before.

    Raises:
      TemplateSyntaxError: Names the offending piece and the remedy.
    """
    return parse(text)


def parse(text: str) -> Template:
    """Parses a template.

    Raises:
      TemplateSyntaxError: Names the offending piece and the remedy.
    """
    text = unicodedata.normalize("NFC", text)
    outer: list[Part] = []
    clause: list[str | Slot | Particle] | None = None
    position = 0
    for token in _TOKEN.finditer(text):
        target = outer if clause is None else clause
        if token.start() > position:
            target.append(text[position : token.start()])
        position = token.end()
        match token.group():
            case "[[":
                if clause is not None:
                    raise TemplateSyntaxError(f"[[ inside [[ at character {token.start()}: clauses do not nest")
                clause = []
            case "]]":
                if clause is None:
                    raise TemplateSyntaxError(f"]] without [[ at character {token.start()}: remove it or open a clause")
                if not any(isinstance(part, Slot) for part in clause):
                    raise TemplateSyntaxError(
                        f"the clause ending at character {token.end()} has no slot: without one it is never left out"
                    )
                outer.append(Clause(tuple(clause)))
                clause = None
            case piece:
                target.append(_placeholder(piece, token.start(), first=not (outer or clause)))
    if clause is not None:
        raise TemplateSyntaxError("[[ is never closed: add ]]")
    if position < len(text):
        outer.append(text[position:])
    return Template(tuple(outer))


def _placeholder(piece: str, start: int, *, first: bool) -> Slot | Particle:
    inner = piece.strip("{}")
    if _SLOT_NAME.fullmatch(inner):
        return Slot(inner)
    pair = pair_of(inner)
    if pair is None:
        raise TemplateSyntaxError(
            f"{piece} at character {start} is neither a slot such as {{target}} nor a particle such as {{을/를}}"
        )
    if first:
        raise TemplateSyntaxError(f"{piece} at character {start} has nothing before it: a particle follows a word")
    return Particle(*pair)
