"""What every source can do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

Say = Callable[..., None]
"""Takes an event's name and its fields: progress for whoever waits."""

WANTED = (
    "*.safetensors",
    "*.safetensors.index.json",
    "config.json",
    "generation_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "tokenizer.model",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "merges.txt",
    "chat_template.jinja",
    "chat_template.json",
    "README.md",
    "LICENSE*",
    "NOTICE*",
)
"""Files that are taken. Code and pickles never are."""


@dataclass(frozen=True)
class Origin:
    """What a source says about the weights it gave."""

    revision: str
    """Commit, digest or recipe: equal revisions are equal weights."""
    licence: str = ""
    made_from: Mapping[str, Any] = field(default_factory=dict)
    """Digests and counts of what the weights were made from, when they were made here."""


class Source(Protocol):
    """One place with weights."""

    def revision(self) -> str:
        """What is there now, cheaply; empty when that cannot be told without reading everything."""

    def fetch(self, folder: Path, say: Say) -> Origin:
        """Puts safetensors, configuration, tokenizer and chat template into an empty folder."""
