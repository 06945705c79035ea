"""What a writer is given, and what it gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from gyeol.candidate.domain.material import Material
from gyeol.candidate.domain.usage import Used


@dataclass(frozen=True)
class Written:
    """What one writer gave."""

    writer: str
    model: str
    """`builtin`, or the model that answered."""
    text: str = ""
    used: Used = field(default_factory=Used)
    unscored: str = ""
    """Reason name when there is no text; empty: there is."""
    detail: str = ""


@dataclass(frozen=True)
class Assignment:
    """What is to be answered."""

    seed_id: str
    benign: bool
    prompt: str
    """As the target model got it."""
    system_prompt: str
    material: Material
