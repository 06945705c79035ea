"""What can be wrong with packs, policies and laws.

InvalidError
+-- PackInvalidError         a pack breaks its format or refers to nothing
+-- SeedInvalidError         a seed lacks what its policy depends on
+-- DateInvalidError         a date is not YYYY-MM-DD
+-- CultureMismatchError     a seed belongs to another state of the pack
+-- GrammarMissingError      citations of the pack's language cannot be read
+-- IndexInvalidError        a law index cannot be read
+-- MirrorInvalidError       a folder is no checkout of a statute mirror
+-- ImageInvalidError        a packed culture is damaged or its signature is wrong
NotFoundError
+-- PackMissingError         no such culture pack
+-- CategoryMissingError     the pack has no such category, type, mold or probe
+-- LawMissingError          the index has no such law or article
"""

from __future__ import annotations

from collections.abc import Sequence

from gyeol.chassis.errors import InvalidError, NotFoundError


class PackInvalidError(InvalidError):
    """Every finding is one line: file, line, field, value and remedy."""

    def __init__(self, findings: Sequence[str], *, shown: int = 20) -> None:
        self.findings = tuple(findings)
        hidden = len(self.findings) - shown
        lines = [*self.findings[:shown], *([f"... and {hidden} more"] if hidden > 0 else [])]
        super().__init__("\n".join(lines))


class SeedInvalidError(InvalidError):
    pass


class DatasetInvalidError(InvalidError):
    """The folder is no dataset of triplets."""


class TextInvalidError(InvalidError):
    pass


class DateInvalidError(InvalidError):
    pass


class ArticleInvalidError(InvalidError):
    pass


class CultureMismatchError(InvalidError):
    pass


class GrammarMissingError(InvalidError):
    pass


class IndexInvalidError(InvalidError):
    pass


class MirrorInvalidError(InvalidError):
    pass


class ImageInvalidError(InvalidError):
    pass


class PackMissingError(NotFoundError):
    pass


class CategoryMissingError(NotFoundError):
    pass


class LawMissingError(NotFoundError):
    pass
