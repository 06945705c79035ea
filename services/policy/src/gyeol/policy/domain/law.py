"""The law index: which laws and articles exist, and on which days."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_IGNORED: Final = re.compile(r"[\s·ㆍ‧・•∙⋅·︰「」『』《》〈〉<>\"'“”‘’,]+|(?<=\d)\.(?=\d)")

DELETED: Final = "삭제"
"""Heading of an article that was deleted; its number stays taken."""


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """Returns a name without what people write differently: spaces, middle dots, quotation marks, full width.

    A full stop between digits is how a keyboard writes the middle dot of 5ㆍ18.
    """
    # Before normalisation too: it would turn the middle dot of the law information centre into a vowel.
    return _IGNORED.sub("", unicodedata.normalize("NFKC", _IGNORED.sub("", name))).casefold()


@dataclass(frozen=True, slots=True)
class Title:
    """A title a law no longer bears."""

    name: str
    until: str
    """ISO date on which the next title took effect."""


@dataclass(frozen=True, slots=True)
class Law:
    id: str
    """Number of the law at the law information centre; titles are not unique, this is."""
    kind: str
    """법률, 대통령령, ..."""
    name: str
    promulgated: str
    effective: str
    """ISO date on which the newest promulgated text takes effect; may lie ahead."""
    change: str
    """일부개정, 제정, 타법폐지, ..."""
    since: str = ""
    """ISO date on which the law first took effect; empty: longer ago than the index looks back."""
    repealed_on: str = ""
    """ISO date; empty: not repealed."""
    held_from: str = ""
    """ISO date from which on the index holds the law's articles; before it nothing can be said."""
    former: tuple[Title, ...] = ()

    @property
    def act(self) -> bool:
        """True: an act of parliament or the constitution, whose articles the index holds."""
        return self.kind in {"법률", "헌법"}


@dataclass(frozen=True, slots=True)
class ArticleSpan:
    """One article under one heading for one stretch of time."""

    heading: str
    since: str = ""
    """ISO date; empty: as long as the index looks back."""
    until: str = ""
    """ISO date on which it ended; empty: it has not."""

    def covers(self, on: str) -> bool:
        return self.since <= on and (not self.until or on < self.until)


Articles = Callable[[str], Mapping[str, tuple[ArticleSpan, ...]] | None]
"""Returns the articles of a law (by id) by number (`제44조의7`), or None when they are not held."""


class LawIndex:
    """Looks laws up by name and articles by number."""

    def __init__(self, laws: Iterable[Law], articles: Articles, *, as_of: str) -> None:
        self._by_id = {law.id: law for law in laws}
        self._articles = articles
        self.as_of = as_of
        """Day on which the index was made; empty for an empty one."""
        self._by_name: dict[str, Law] = {}
        self._by_title: dict[str, tuple[Title, Law]] = {}
        for law in self._by_id.values():
            key = name_key(law.name)
            known = self._by_name.get(key)
            if known is None or _rank(law) > _rank(known):
                self._by_name[key] = law
            for title in law.former:
                self._by_title.setdefault(name_key(title.name), (title, law))

    def __len__(self) -> int:
        return len(self._by_id)

    @property
    def names(self) -> Iterable[str]:
        """Keys of every title, present and former."""
        return [*self._by_name, *self._by_title]

    @property
    def laws(self) -> Iterable[Law]:
        return self._by_id.values()

    def by_id(self, law_id: str) -> Law | None:
        return self._by_id.get(law_id)

    def by_name(self, name: str) -> Law | None:
        """Returns the law with this title; of several the one in force, then the newest."""
        return self._by_name.get(name_key(name))

    def by_former_title(self, name: str) -> tuple[Title, Law] | None:
        return self._by_title.get(name_key(name))

    def has_name(self, key: str) -> bool:
        """True: a law bears or bore the name with this `name_key`."""
        return key in self._by_name or key in self._by_title

    def articles(self, law_id: str) -> Mapping[str, tuple[ArticleSpan, ...]] | None:
        return self._articles(law_id)

    def has_article(self, law_id: str, article: str) -> bool:
        """True: the newest text has the article and it is not deleted."""
        spans = (self._articles(law_id) or {}).get(article, ())
        return any(not span.until and span.heading != DELETED for span in spans)


def _rank(law: Law) -> tuple[bool, bool, str]:
    return (not law.repealed_on, law.act, law.promulgated)


def _nothing(_law_id: str) -> None:
    return None


EMPTY: Final = LawIndex((), _nothing, as_of="")
