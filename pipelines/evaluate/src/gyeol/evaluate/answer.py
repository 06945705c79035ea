"""What a model answered to one item."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Answer:
    texts: tuple[str, ...]
    """One text per turn; none is empty."""
    finish_reason: str
    """Of the last turn, as the endpoint gave it."""

    @property
    def text(self) -> str:
        """The last turn."""
        return self.texts[-1]

    @property
    def told(self) -> str:
        """Every turn, for the file of responses."""
        return "\n\n―――\n\n".join(self.texts)
