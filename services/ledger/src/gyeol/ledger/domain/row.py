"""One row of a sealed dataset, in the form that trainers load and the form that is hashed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

Messages = tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """The fields are the columns; the conversational ones go into a preference trainer as they are."""

    prompt: Messages
    chosen: Messages
    rejected: Messages
    kind: str
    stratum: str
    category: str
    type: str
    seed_id: str
    mold_id: str
    triplet_id: str
    policy_version: int
    policy_digest: str
    chosen_writer: str
    law_as_of: str
    citations: tuple[str, ...]
    """Articles that the chosen answer rests on, for example `개인정보 보호법 제59조`."""

    def columns(self) -> dict[str, Any]:
        return asdict(self)


def canonical(columns: dict[str, Any]) -> bytes:
    """The bytes of a row that its Merkle leaf is taken from."""
    return json.dumps(columns, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
