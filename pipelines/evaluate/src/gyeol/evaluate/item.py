"""Items: what a model is asked, and what its answer is measured against."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.picture import Picture


@dataclass(frozen=True)
class Item:
    id: str
    """Unique within its suite and the same on every run."""
    messages: tuple[Message, ...]
    stratum: str
    cluster: str
    """Items of one cluster (one mold, one template) are not independent."""
    expected: Mapping[str, Any]
    """What the scorer needs; its form belongs to the pair of source and scorer."""
    groups: Mapping[str, str] = field(default_factory=dict)
    """Further labels, by which derived figures are taken: `category`, `context`, `prompt`."""
    picture: Picture | None = None
    """Shown with the last message."""
    follow_up: str = ""
    """Second question, asked after the first answer; empty: one turn."""

    @property
    def prompt_hash(self) -> str:
        asked: list[Any] = [{"role": message.role, "content": message.content} for message in self.messages]
        if self.picture:
            asked.append({"picture": self.picture.sha256})
        if self.follow_up:
            asked.append({"role": "user", "content": self.follow_up})
        return digest(asked)


def digest(value: Any) -> str:
    """sha256 hex of the canonical JSON of a plain value."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def set_digest(items: Sequence[Item]) -> str:
    """`sha256:<hex>` over the ids and prompts of an item set, whatever its order."""
    return "sha256:" + digest(sorted((item.id, item.prompt_hash) for item in items))


def drawn(items: Sequence[Item], count: int | None, random_seed: int) -> list[Item]:
    """`count` items, whole clusters together, the same ones on every run; None: all, in the order given."""
    if count is None or count >= len(items):
        return list(items)
    ranks = {cluster: digest([random_seed, cluster]) for cluster in {item.cluster for item in items}}
    return sorted(items, key=lambda item: (ranks[item.cluster], item.id))[:count]
