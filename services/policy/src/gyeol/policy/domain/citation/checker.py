"""Finds and looks up everything a text cites."""

from __future__ import annotations

from dataclasses import dataclass

from gyeol.policy.domain.citation.article import article_mentions, part
from gyeol.policy.domain.citation.folding import folded
from gyeol.policy.domain.citation.office import Offices
from gyeol.policy.domain.citation.reading import readings
from gyeol.policy.domain.citation.subject import Subject
from gyeol.policy.domain.citation.title import Titles
from gyeol.policy.domain.citation.verdict import Finding, Resolver
from gyeol.policy.domain.law import LawIndex
from gyeol.policy.domain.pack import Pack
from gyeol.policy.errors import ArticleInvalidError


@dataclass(frozen=True)
class Citation:
    """A citation of a law, as written and as found; places count characters of the text."""

    text: str
    start: int
    end: int
    article: str
    finding: Finding


@dataclass(frozen=True)
class Mention:
    """An office or a telephone number, as written and as found."""

    text: str
    start: int
    end: int
    institution: str
    finding: Finding


@dataclass(frozen=True)
class Report:
    citations: tuple[Citation, ...]
    institutions: tuple[Mention, ...]


class Checker:
    """Checks texts against one culture pack and its law index."""

    def __init__(self, pack: Pack, laws: LawIndex) -> None:
        self._titles = Titles(pack, laws)
        self._resolver = Resolver(pack, laws, self._titles)
        self._offices = Offices(pack)

    def report(self, text: str, on: str) -> Report:
        """Returns everything a text cites and what became of it on an ISO day, in order of appearance."""
        flat = folded(text)

        def place(start: int, end: int) -> tuple[str, int, int]:
            first, last = flat.origin[start], flat.origin[end - 1] + 1
            return text[first:last], first, last

        citations = tuple(
            Citation(
                *place(cited.start, cited.end),
                cited.article,
                self._resolver.finding(cited.subject, cited.article, on, part(flat.text[cited.start : cited.end])),
            )
            for cited in readings(flat.text, self._titles)
        )
        institutions = tuple(
            Mention(*place(found.start, found.end), found.institution, found.finding)
            for found in self._offices.mentions(flat.text, on)
        )
        return Report(citations, institutions)

    def article(self, law: str, article: str, on: str) -> tuple[str, Finding]:
        """Returns an article as it is written in full, and what became of it; the law may go by any of its names.

        Raises:
          ArticleInvalidError: `article` is no article number.
        """
        flat = folded(article).text
        numbers = article_mentions(flat)
        if article and (len(numbers) != 1 or not numbers[0].article):
            raise ArticleInvalidError(f"article = {article!r}: write a number such as 제44조의7")
        number = numbers[0].article if numbers else ""
        designation = self._titles.designation(law) or self._titles.loosely(law)
        subject = Subject(designation=designation) if designation else Subject(unknown=law)
        return number, self._resolver.finding(subject, number, on, part(flat))
