"""Statutes and offices that a policy may name."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ArticleRef:
    statute: str
    """Statute id of the pack."""
    article: str
    """For example `제24조의2`."""


@dataclass(frozen=True)
class Void:
    """A part of an article that courts took out of force; its words still stand in the code."""

    since: str
    """ISO date."""
    reason_ko: str
    part: str = ""
    """`제1항`, `제1항제3호`; empty: the article."""
    partly: bool = False
    """True: only some of what the part says, so that its number alone does not tell whether it applies."""


@dataclass(frozen=True)
class Article:
    article: str
    heading_ko: str
    verified: bool
    note_ko: str = ""
    in_force_from: str = ""
    """ISO date; empty: in force as long as the pack looks back."""
    status: str = "in-force"
    penalty_ko: str = ""
    """Terms and fines, as far as they were checked in the text of the law."""
    void: tuple[Void, ...] = ()


@dataclass(frozen=True)
class Statute:
    id: str
    name_ko: str
    name_en: str
    short_ko: tuple[str, ...]
    former_names: tuple[str, ...]
    law_id: str | None
    status: str
    effective: str | None
    as_of: str
    verified: bool
    url: str | None
    articles: tuple[Article, ...]
    since: str = ""
    """ISO date on which the law first took effect, where the law index does not know it."""
    amendment_effective: str = ""
    repealed_on: str = ""
    replaced_by: tuple[str, ...] = ()

    def article(self, number: str) -> Article | None:
        """Returns what the pack says about an article, if anything."""
        return next((article for article in self.articles if article.article == number), None)


@dataclass(frozen=True)
class Institution:
    id: str
    name_ko: str
    name_en: str
    kind: str
    phone: str | None
    url_host: str | None
    what_for_ko: str
    status: str
    stale_names: tuple[str, ...]
    verified: bool
    phone_verified: bool | None
    verified_on: str
    review_by: str
    legal_basis: tuple[str, ...]
    source: str
    hours: str | None = None
    note_ko: str = ""
    replaced_by: tuple[str, ...] = ()

    @property
    def callable(self) -> bool:
        """True: the number may be given to a person."""
        return bool(self.phone and self.phone_verified and self.status == "active")


@dataclass(frozen=True)
class LawName:
    """A name people use for a law although it is not its title."""

    name: str
    law: str
    """Full title."""
    until: str = ""
    """ISO date on which it stopped being the title; empty for short and popular names."""


@dataclass(frozen=True)
class InstitutionName:
    name: str
    institution: str
    until: str = ""
