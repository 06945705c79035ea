"""How a promotion can end without having promoted. Each carries the reason that becomes a condition.

PromotionError
├── EvidenceError    NotPassed: the verdict is no pass, or about another model
├── RolledBackError  RolledBack: this model was pinned before and reverted
├── RefusedError     Refused: the server refuses the push (protected branch, hook)
├── CredentialError  Unauthorized: the token is wrong, expired or may not do this
├── RaceError        Outrun: others kept pushing first
├── RepositoryError  RepositoryUnusable: no such repository, branch or file
└── ForgeError       ForgeUnavailable: the forge's API does not answer as it should
"""

from __future__ import annotations

from typing import ClassVar


class PromotionError(Exception):
    """A promotion that did not happen; nothing is half done."""

    reason: ClassVar[str] = "Failed"
    final: ClassVar[bool] = True
    """A retry cannot mend it."""


class EvidenceError(PromotionError):
    reason = "NotPassed"


class RolledBackError(PromotionError):
    reason = "RolledBack"


class RefusedError(PromotionError):
    reason = "Refused"


class CredentialError(PromotionError):
    reason = "Unauthorized"


class RaceError(PromotionError):
    reason = "Outrun"
    final = False


class RepositoryError(PromotionError):
    reason = "RepositoryUnusable"


class ForgeError(PromotionError):
    reason = "ForgeUnavailable"
    final = False
