"""Callers and roles. Each role may do what the ones before it may."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from gyeol.gateway.errors import RoleTooLowError


class Role(enum.IntEnum):
    VIEWER = 1
    """Sees runs, books and triplets without rejected text."""
    REVIEWER = 2
    """Reviews triplets, reads rejected text and exports datasets; both are written down."""
    OPERATOR = 3
    """Verifies datasets."""
    ADMIN = 4

    @property
    def word(self) -> str:
        return self.name.lower()


def role_of(word: str) -> Role | None:
    """The role with that name."""
    return next((role for role in Role if role.word == word), None)


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody we know."""

    name: str
    """As reviews and readings are written down."""
    role: Role

    def may(self, role: Role) -> bool:
        return self.role >= role

    def needs(self, role: Role) -> None:
        """Raises: RoleTooLowError."""
        if not self.may(role):
            raise RoleTooLowError(self.name, self.role.word, role.word)


LOCAL = Principal("local", Role.ADMIN)
"""Whoever sits at this machine, where nobody else can come in."""
