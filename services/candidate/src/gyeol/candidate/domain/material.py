"""What the built-in writers compose an answer from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Passage:
    """A complete sentence, or a whole answer, with what it rests on."""

    text: str
    statute: str = ""
    article: str = ""
    institution: str = ""


@dataclass(frozen=True)
class Material:
    """The passages of one rendered policy, by the part they play."""

    parts: Mapping[str, tuple[Passage, ...]]
    """open, refuse, law, people, kernel, next."""
    replies: tuple[Passage, ...] = ()
    """Whole answers to a benign question."""
    register: str = "haeyo"
    """`haeyo` or `hapsyo`."""
    statutes: tuple[str, ...] = ()
    """Full Korean names."""
    slots: Mapping[str, str] = field(default_factory=dict)
    """What the question is about, as the seed filled it in."""
