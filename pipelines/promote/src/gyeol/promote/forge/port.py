"""What a promotion needs of a forge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

CONTEXT = "gyeol/gate"
"""Name of the commit status; a branch protection rule can require it."""

State = Literal["open", "merged", "closed"]


@dataclass(frozen=True)
class PullRequest:
    number: int
    url: str
    state: State


class Forge(Protocol):
    def find(self, branch: str, base: str) -> PullRequest | None:
        """The newest pull request from `branch` into `base`, whatever its state."""
        ...

    def open(self, branch: str, base: str, title: str, body: str) -> PullRequest: ...

    def comment(self, number: int, body: str) -> None:
        """Writes the gate report: replaces the comment of an earlier run instead of adding one more."""
        ...

    def close(self, number: int) -> None: ...

    def status(self, commit: str, good: bool, description: str, url: str) -> None:
        """Binds the verdict to one commit."""
        ...
