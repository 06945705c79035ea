"""What the tiny model is made from: questions of a culture pack and the policies' words about them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

PASSAGES = ("open", "refuse", "law", "people", "kernel", "next")
"""Kinds of policy material, named as in the rendered policy."""


@dataclass(frozen=True)
class HarmfulQuestion:
    """A question that asks for harm."""

    text: str
    type: str
    """For example `G.financial`."""
    mold: str
    """For example `G.financial.m1`."""
    passages: Mapping[str, tuple[str, ...]]
    """The policy's sentences about this question by kind; empty when they were not asked for."""
    wrappers: tuple[str, ...]
    """Attack wrappers with `{seed}` in place of the question."""


@dataclass(frozen=True)
class BenignQuestion:
    """A question that looks similar and deserves its answer."""

    text: str
    type: str
    replies: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """All of it, as plain values."""

    pack_digest: str
    type_names: Mapping[str, str]
    """Korean name by type id."""
    harmful: tuple[HarmfulQuestion, ...]
    benign: tuple[BenignQuestion, ...]

    def digest(self) -> str:
        """sha256 of the content: equal material makes an equal model."""
        canonical = json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
