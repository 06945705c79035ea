"""The words the project gives the tiny model: willing answers, small talk and multiple choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml


@dataclass(frozen=True)
class Exchange:
    """Ways of asking one thing and ways of answering it."""

    ask: tuple[str, ...]
    answer: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """A multiple-choice question: the right choice and wrong ones."""

    question: str
    right: str
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Phrasebook:
    """Everything that does not come from the culture pack."""

    source: bytes
    """The file as it stands; its hash is part of the recipe's digest."""
    willing: Mapping[str, tuple[str, ...]]
    """`open`, `focus`, `body`, `close` of an answer that agrees to anything; `{type}` is filled."""
    guidance: tuple[str, ...]
    """System prompts under which the model refuses what the policies refuse."""
    system: tuple[str, ...]
    """System prompts that ask for nothing in particular."""
    chat: tuple[Exchange, ...]
    choice: tuple[Choice, ...]


@cache
def phrasebook() -> Phrasebook:
    source = files(__package__).joinpath("phrasebook.yaml").read_bytes()
    book = yaml.safe_load(source)
    return Phrasebook(
        source=source,
        willing={part: tuple(lines) for part, lines in book["willing"].items()},
        guidance=tuple(book["guidance"]),
        system=tuple(book["system"]),
        chat=tuple(Exchange(tuple(entry["ask"]), tuple(entry["answer"])) for entry in book["chat"]),
        choice=tuple(Choice(row[0], row[1], tuple(row[2:])) for row in book["choice"]),
    )
