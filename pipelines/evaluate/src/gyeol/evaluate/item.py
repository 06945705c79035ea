"""Items: what a model is asked, and what its answer is measured against."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gyeol.chassis.chat import Message


@dataclass(frozen=True)
class Item:
    id: str
    """Unique within its suite and the same on every run."""
    messages: tuple[Message, ...]
    stratum: str
    cluster: str
    """Items of one cluster (one mold) are not independent."""
    expected: Mapping[str, Any]
    """What the scorer needs; its form belongs to the pair of source and scorer."""

    @property
    def prompt_hash(self) -> str:
        return digest([{"role": message.role, "content": message.content} for message in self.messages])


def digest(value: Any) -> str:
    """sha256 hex of the canonical JSON of a plain value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def set_digest(items: Sequence[Item]) -> str:
    """`sha256:<hex>` over the ids and prompts of an item set, whatever its order."""
    return "sha256:" + digest(sorted((item.id, item.prompt_hash) for item in items))
