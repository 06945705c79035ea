"""Which article is cited of which law: the text between a name and a number decides.

「형법」 제307조 및 제311조     the name stands right before the number, the second number goes on from the first
같은 법 시행령 제3조            points back to the law before, and on to its decree
디지털존중법 제3조              looks like the name of a law, and nobody knows it
약관 제3조                     articles of something else are no citations
(...) 제59조                   a number alone belongs to what was spoken of last
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gyeol.policy.domain.citation import cue
from gyeol.policy.domain.citation.article import ArticleMention, article_mentions
from gyeol.policy.domain.citation.foreign import foreign, letters
from gyeol.policy.domain.citation.subject import (
    ADDENDA,
    EARLIER,
    FOREIGN,
    NO_LAW_NAMED,
    Pointer,
    Subject,
    decree,
    english,
    narrowed,
    pointer,
)
from gyeol.policy.domain.citation.title import TitleMention, Titles


@dataclass(frozen=True)
class Cited:
    """A citation at a place of the folded text; without article a law is named alone."""

    start: int
    end: int
    subject: Subject
    article: str = ""


@dataclass(frozen=True)
class _Name:
    """The name of a law, known or not, at a place of the folded text."""

    start: int
    end: int
    subject: Subject


_DIRECT: Final = re.compile(
    r"[」'\")\]]*\s*(?:\([^()]{0,60}\)|\[[^\[\]]{0,60}\])?[」'\")\]]*\s*(?:의|상|중|내|[,:])?\s*(?P<decree>시행령|시행규칙)?"
    r"\s*(?P<addenda>부칙(?:\s*(?:\([^()]{0,60}\)|<[^<>]{0,60}>|「[^「」]{0,60}」))?)?(?:의)?\s*[「'\"(\[]*\s*"
)
"""Between a law and its article: nothing, a short name in brackets, a particle, its decree."""

_APART: Final = re.compile(r"\n\s*\n")
"""A new paragraph speaks of something of its own."""

_NEAR: Final = re.compile(r"[^.!?\n;]{0,20}")
"""Between a law and its article when a few words stand between them: 형법에 따르면 제307조."""

_REACH: Final = 300
"""Characters before a number that may name its law; no title is longer."""

_ON: Final = re.compile(
    r"(?:\s*\([^()]{0,40}\))?\s*(?:[,·~\-/]?\s*(?:및|와|과|또는|이나|나|혹은|내지|부터|에서|하고|이랑|랑|그리고|까지|and|or|to|through)|[,·~\-/])\s*"
)
"""Between two articles of one law."""

_OF: Final = re.compile(
    r"\s*,?\s*(?:of|under|in)\s+(?:the\s+)?(?:Korean\s+|South\s+Korean\s+|Korea's\s+|Korea’s\s+)?[「'\"]*\s*"
)
_OF_UNKNOWN: Final = re.compile(
    r"(?:[A-Z][A-Za-z'’.-]*\s+(?:(?:and|of|on|the|for|in|against)\s+)*){1,8}(?:Act|Law|Code)"
)
_BRACKETED: Final = re.compile(r"「\s*([^「」]{2,80}?)\s*」")
_LINK: Final = re.compile(r"https?://[^\s()\[\]<>]*[^\s()\[\]<>.,](?![^\s()]*/제\d)")
"""The address of a law says no more than the words around it, unless it leads to an article."""
_TITLED: Final = re.compile(r"(?:법률|법|시행령|시행규칙)$")
_HOW_TO: Final = re.compile(r"[는을할한은던] 법$|^(?:[가-힣 ]+ )?(?:방법|문법|화법|요법|용법|기법|수법|비법)$")
"""《사는 법》 is a book."""
_FORMER: Final = re.compile(r"(?<![가-힣])(?:구|옛|종전의?|예전의?|과거의?|폐지된|없어진|개정\s?전의?)\s*[「'\"(]*$")
_GONE: Final = re.compile(
    r"[」'\")]*(?:[은는이가을를도의]\s*)?(?:20\d\d년\s*)?(?:\d+월\s*(?:\d+일)?\s*)?(?:에\s*|부터\s*|이미\s*)?(?:폐지|없어|사라|바뀌|바뀐|개편)"
)


def readings(text: str, titles: Titles) -> list[Cited]:
    """Returns everything that is cited in a folded text, in order of appearance."""
    return sorted(_Reader(text, titles).read(), key=lambda cited: cited.start)


class _Reader:
    """Walks through the names and numbers of one text from left to right."""

    def __init__(self, text: str, titles: Titles) -> None:
        self._text = text
        self._titles = titles
        self._spoken: Subject | None = None
        """What was spoken of last."""
        self._name: _Name | None = None
        """The name read last, as long as no article has taken it."""
        self._last: Cited | None = None
        """The article read last, if nothing but it was read last."""
        self._article = ""
        self._end = 0

    def read(self) -> Iterator[Cited]:
        names = self._names()
        numbers = (m for m in article_mentions(self._text) if not any(n.start <= m.start < n.end for n in names))
        events: list[_Name | ArticleMention] = [*names, *numbers]
        events.sort(key=lambda event: event.start)
        taken: list[_Name] = []
        for index, event in enumerate(events):
            if isinstance(event, _Name):
                if event not in taken:
                    yield from self._named(event)
                continue
            owner = self._owner(events[index:]) if event.english else None
            yield from self._numbered(event, owner)
            taken += [owner] if owner else []
        yield from self._alone()

    def _names(self) -> list[_Name]:
        links = [match.span() for match in _LINK.finditer(self._text)]
        known = [
            self._known(mention)
            for mention in self._titles.mentions(self._text)
            if not any(start <= mention.start < end for start, end in links)
        ]
        for match in _BRACKETED.finditer(self._text):
            name = match[1]
            if not _TITLED.search(name) or _HOW_TO.search(name) or self._titles.designation(name):
                continue
            loose = self._titles.loosely(name)
            subject = Subject(designation=loose) if loose else Subject(unknown=name)
            if country := foreign(self._text[max(0, match.start() - 20) : match.start()]):
                subject = Subject(outside=FOREIGN, named=country + name)
            known = [n for n in known if n.end <= match.start() or n.start >= match.end()]
            known.append(_Name(match.start(), match.end(), subject))
        return known

    def _known(self, mention: TitleMention) -> _Name:
        bracketed = self._text[mention.start - 1 : mention.start] == "「" and self._text.startswith("」", mention.end)
        start, end = (mention.start - 1, mention.end + 1) if bracketed else (mention.start, mention.end)
        if country := foreign(self._text[max(0, start - 20) : start]):
            start -= len(country)
            return _Name(
                start, end, Subject(outside=FOREIGN, named=self._text[start:end].rstrip("」").replace("「", ""))
            )
        return _Name(start, end, Subject(designation=mention.designation))

    def _named(self, name: _Name) -> Iterator[Cited]:
        pending = self._name
        if pending and pending.subject.designation and name.subject.designation:
            between = self._text[pending.end : name.start]
            if pending.subject.designation.entry == name.subject.designation.entry and re.match(
                r"\s*[(\[]\D{0,8}$", between
            ):
                name = replace(name, start=pending.start)
                self._name = None
        yield from self._alone()
        self._name, self._spoken, self._last, self._end = name, name.subject, None, name.end

    def _alone(self) -> Iterator[Cited]:
        """A law named without an article; who says that it is gone does not rest on it, and another country's is none of ours."""
        name, self._name = self._name, None
        if name is None or name.subject.outside:
            return
        if _FORMER.search(self._text[max(0, name.start - 12) : name.start]) or _GONE.match(self._text, name.end):
            return
        yield Cited(name.start, name.end, name.subject)

    def _owner(self, events: Sequence[_Name | ArticleMention]) -> _Name | None:
        """Articles 307 and 311 of the Criminal Act."""
        last = events[0]
        for event in events[1:]:
            if not isinstance(event, ArticleMention) or not _ON.fullmatch(self._text, last.end, event.start):
                break
            last = event
        of = _OF.match(self._text, last.end)
        if of is None:
            return None
        named = next((event for event in events if isinstance(event, _Name) and event.start == of.end()), None)
        if named:
            return named
        if named_by := letters(self._text, of.end()):
            return _Name(of.end(), of.end() + len(named_by), Subject(outside=FOREIGN, named=named_by))
        unknown = _OF_UNKNOWN.match(self._text, of.end())
        return _Name(of.end(), unknown.end(), english(unknown.group())) if unknown else None

    def _numbered(self, article: ArticleMention, owner: _Name | None) -> Iterator[Cited]:
        if owner is not None:
            yield from self._alone()
            end = owner.end if _OF.fullmatch(self._text, article.end, owner.start) else article.end
            cited = Cited(article.start, end, owner.subject, article.article)
        else:
            found = self._subject(article)
            if found is None:
                return
            start, subject = found
            yield from self._alone() if self._name else ()
            number = self._article if article.same else article.article
            cited = Cited(start, article.end, subject, number)
        self._spoken = cited.subject
        self._last, self._article, self._end = cited, cited.article, cited.end
        if cited.article and not cited.subject.elsewhere:
            yield cited

    def _subject(self, article: ArticleMention) -> tuple[int, Subject] | None:
        """Returns what an article belongs to and where the words that say so begin; None when it is no article."""
        gap = self._text[self._end : article.start]
        if self._name and (direct := _DIRECT.fullmatch(gap)):
            name, self._name = self._name, None
            return self._taken(name, direct)
        if self._last and _ON.fullmatch(gap):
            return article.start, self._last.subject
        if article.same:
            return (article.start, self._spoken) if self._article and self._spoken else None
        near = gap[-_REACH:]
        if found := pointer(near, article.start - len(near), self._spoken, self._titles):
            return self._pointed(found)
        if not article.marked and not (article.branched and self._spoken):
            return None
        if self._name and _NEAR.fullmatch(gap):
            name, self._name = self._name, None
            return name.start, name.subject
        if self._spoken is None or (self._name is None and _APART.search(gap)):
            return (article.start, NO_LAW_NAMED) if cue.cited(self._text, article) else None
        return article.start, self._spoken

    def _pointed(self, found: Pointer) -> tuple[int, Subject]:
        """An unknown name that goes on from a known one is one name: 정보통신망법 이용촉진 등에 관한 법률."""
        name = self._name
        if name and found.subject.unknown and not self._text[name.end : found.start].strip():
            self._name = None
            return name.start, Subject(unknown=f"{self._text[name.start : found.start]}{found.subject.unknown}")
        return found.start, found.subject

    def _taken(self, name: _Name, direct: re.Match[str]) -> tuple[int, Subject]:
        """The article belongs to the name right before it."""
        subject, start = name.subject, name.start
        if subject.designation and (narrowing := narrowed(self._text[max(0, start - 12) : start])):
            start -= len(narrowing)
            subject = Subject(unknown=self._text[start : name.end])
        if direct["decree"]:
            subject = decree(subject, direct["decree"], self._titles)
        if direct["addenda"]:
            subject = Subject(outside=ADDENDA, named=_title(subject))
        if before := _FORMER.search(self._text[max(0, name.start - 12) : name.start]):
            return max(0, name.start - 12) + before.start(), Subject(outside=EARLIER, named=_title(subject))
        return name.start, subject


def _title(subject: Subject) -> str:
    return subject.designation.entry.name if subject.designation else subject.unknown or subject.named
