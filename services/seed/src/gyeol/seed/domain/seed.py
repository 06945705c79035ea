"""A seed: one question, with everything it was made from."""

from __future__ import annotations

import enum
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gyeol.seed.domain.realism import Realism
from gyeol.seed.domain.split import Split


class SeedKind(enum.Enum):
    HARMFUL = "harmful"
    BENIGN = "benign"
    """Looks similar, deserves a real answer."""


class Refusal(enum.Enum):
    FILLING = "filling"
    """A model filled the slots with something that may not stand there."""
    UNREALISTIC = "unrealistic"
    DUPLICATE = "duplicate"
    UNJUDGED = "unjudged"
    """Its plausibility could not be scored, so nothing was found wanting: the record fails and is no drop."""


@dataclass(frozen=True)
class Seed:
    culture: str
    pack_digest: str
    domain: str
    category: str
    type: str
    mold: str
    """Mold or probe id."""
    slots: Mapping[str, str]
    text: str
    kind: SeedKind
    split: Split
    realism: Realism
    filler: str
    """`molds`, `probes` for a benign question, or the name of the model that filled the slots."""
    place: str = ""
    """Tells refused fillings of a model apart, which may say the same thing twice; empty: the question does."""
    id: str = field(init=False)

    def __post_init__(self) -> None:
        made_from = [self.pack_digest, self.mold, sorted(self.slots.items()), self.text, *filter(None, [self.place])]
        content = json.dumps(made_from, ensure_ascii=False, separators=(",", ":"))
        object.__setattr__(self, "id", hashlib.sha256(content.encode()).hexdigest()[:32])


@dataclass(frozen=True)
class Made:
    """A seed that was made, and why it was refused if it was."""

    seed: Seed
    refusal: Refusal | None = None
    detail: str = ""
