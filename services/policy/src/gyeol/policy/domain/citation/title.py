"""The names of laws, and where they occur in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from gyeol.policy.domain.citation.folding import Folded, squeezed
from gyeol.policy.domain.law import Law, LawIndex, name_key
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.statute import Statute


@dataclass(frozen=True)
class Entry:
    """A law as the pack and the index know it together."""

    name: str
    statute: Statute | None
    law: Law | None


@dataclass(frozen=True)
class Designation:
    """What a name means: the law, and when the name stopped being right."""

    entry: Entry
    until: str = ""
    """ISO date; empty: the name is still good."""
    exact: bool = True
    """False: the name is not the title and nobody's usual name for it either; the title should be written."""


@dataclass(frozen=True)
class TitleMention:
    """The name of a law at a place of the folded text."""

    start: int
    end: int
    designation: Designation


_ATTACHED: Final = re.compile(r"(?:현행|우리|한국|대한민국|또한|그리고|따라서|이는|즉|및|과|와|은|는|의|에|로)$")
"""What may be written right before the name of a law without a space."""

_FOLLOWED: Final = re.compile(
    r"(?:은|는|이|가|을|를|의|과|와|도|만|로|으로|에|상|등|및|중|내|나|인|란|라|엔)(?![가-힣])"
    r"|에(?:서|는|도|만|의|따|관|규|명|위|근|선|까|나|게|대|해|있|도|정|반|보|포)"
    r"|상(?:의|으|은|에|도|처|금|명|모|형|범|책|권|규|허)"
    r"|(?:으로|로)(?:는|도|서|써|부|만|까)|이(?:나|란|라|며|고|지|므|었|에|기|든|야|랑|죠)|입니|예요|인데|인지|과(?:는|도)|와(?:는|도)"
    r"|까지|부터|보다|처럼|만으|위반|개정|시행|부칙|제\s*[\d일이삼사오육칠팔구십백천]|\d|하에|내의|상"
)
"""What may follow the name of a law without a space."""

_SHORT: Final = 3
"""A name of so few syllables must be written in one piece, 형 법원 is no 형법, unless an article follows: 형 법 제 307 조."""
_NUMBERED: Final = re.compile(r"[」'\")\]]*\s*제\s*\d+\s*조")


class Titles:
    """Finds the names of laws: titles, short names, popular names, former titles."""

    def __init__(self, pack: Pack, laws: LawIndex) -> None:
        self._laws = laws
        self._pack = pack
        self._names: dict[str, Designation] = {}
        self._foreign: dict[str, Designation] = {}
        for designation, name in _designations(pack, laws):
            names = self._foreign if name.isascii() else self._names
            names.setdefault(name_key(name), designation)
        self._lengths: dict[str, list[int]] = {}
        for key in (*self._names, *laws.names):
            lengths = self._lengths.setdefault(key[-1], [])
            if len(key) not in lengths:
                lengths.append(len(key))
        for lengths in self._lengths.values():
            lengths.sort(reverse=True)

    def designation(self, name: str) -> Designation | None:
        """Returns what a name means when it stands for itself, spaces and dots aside."""
        key = name_key(name)
        if (known := self._names.get(key) or self._foreign.get(key)) is not None:
            return known
        if law := self._laws.by_name(name):
            return Designation(Entry(law.name, None, law))
        if former := self._laws.by_former_title(name):
            title, law = former
            return Designation(Entry(law.name, None, law), until=title.until)
        return None

    def loosely(self, name: str) -> Designation | None:
        """Returns the one law whose title is the name but for its small words, as in 스토킹범죄의 처벌법."""
        law = self._loose.get(_loosened(name))
        return Designation(self.entry(law), exact=False) if law else None

    def entry(self, law: Law) -> Entry:
        known = self._names.get(name_key(law.name))
        return known.entry if known else Entry(law.name, None, law)

    def mentions(self, text: str) -> list[TitleMention]:
        """Returns every name of a law in a folded text, the longest where several begin or end together."""
        found = sorted((*self._native(text), *self._english(text)), key=lambda m: (m.start, -m.end))
        kept: list[TitleMention] = []
        for mention in found:
            if not kept or mention.start >= kept[-1].end:
                kept.append(mention)
        return kept

    def _native(self, text: str) -> Iterator[TitleMention]:
        flat = squeezed(text)
        taken = len(flat.text)
        for end in range(len(flat.text), 0, -1):
            if end > taken:
                continue
            for length in self._lengths.get(flat.text[end - 1], ()):
                if length > end:
                    continue
                mention = self._at(text, flat, end - length, end)
                if mention is not None:
                    taken = end - length
                    yield mention
                    break

    def _at(self, text: str, flat: Folded, start: int, end: int) -> TitleMention | None:
        key = flat.text[start:end].casefold()
        if key not in self._names and not self._laws.has_name(key):
            return None
        first, last = flat.origin[start], flat.origin[end - 1] + 1
        if end - start <= _SHORT and last - first != end - start and not _NUMBERED.match(text, last):
            return None
        before, after = text[:first], text[last : last + 12]
        if before and (before[-1].isalnum() and not _ATTACHED.search(before[-4:])):
            return None
        if after and after[0].isalnum() and not _FOLLOWED.match(after):
            return None
        designation = self.designation(key)
        return TitleMention(first, last, designation) if designation else None

    def _english(self, text: str) -> Iterator[TitleMention]:
        if len(re.findall(r"[A-Za-z]", text)) < _SHORT:
            return
        for match in self._foreign_pattern.finditer(text):
            yield TitleMention(match.start(), match.end(), self._foreign[name_key(match.group())])

    @cached_property
    def _foreign_pattern(self) -> re.Pattern[str]:
        names = sorted((name for name in self._foreign_names if name), key=len, reverse=True)
        alternatives = "|".join(re.escape(name).replace(r"\ ", r"\s+").replace("'", "['’]?") for name in names)
        return re.compile(rf"(?<![A-Za-z])(?:{alternatives})(?![A-Za-z])", re.IGNORECASE)

    @cached_property
    def _foreign_names(self) -> set[str]:
        return {name for _, name in _designations(self._pack, self._laws) if name.isascii()}

    @cached_property
    def _loose(self) -> dict[str, Law]:
        loose: dict[str, list[Law]] = {}
        for law in self._laws.laws:
            if law.act and not law.repealed_on:
                loose.setdefault(_loosened(law.name), []).append(law)
        return {key: laws[0] for key, laws in loose.items() if len(laws) == 1}

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that titles of acts are made of, with and without their particles."""
        whole = {word for law in self._laws.laws if law.act for word in law.name.split()}
        return frozenset(whole | {word[:-1] for word in whole if len(word) > 2 and word[-1] in "의에을를과와"})

    @cached_property
    def acts(self) -> dict[str, str]:
        """Keys and names of the acts in force and of their usual names, for suggestions."""
        acts = {name_key(law.name): law.name for law in self._laws.laws if law.act and not law.repealed_on}
        usual = {key: known.entry.name for key, known in self._names.items() if not known.until}
        return {**acts, **usual}


def _loosened(name: str) -> str:
    key = name_key(name)
    for small in ("등에관한", "에관한", "을위한", "를위한", "위한", "관한"):
        key = key.replace(small, "")
    return re.sub(r"[의및과와등]", "", key).replace("법률", "법")


def _designations(pack: Pack, laws: LawIndex) -> Iterator[tuple[Designation, str]]:
    """Yields names with their meaning, the better claim to a name first."""
    by_name: dict[str, Entry] = {}
    ordered = sorted(pack.statutes.values(), key=lambda statute: statute.status != "in-force")
    for statute in ordered:
        law = laws.by_id(statute.law_id) if statute.law_id else laws.by_name(statute.name_ko)
        entry = Entry(statute.name_ko, statute, law)
        by_name.setdefault(name_key(statute.name_ko), entry)
        yield Designation(entry), statute.name_ko
    for statute in ordered:
        entry = by_name[name_key(statute.name_ko)]
        for name in (*statute.short_ko, statute.name_en):
            yield Designation(entry), name
    for named in pack.law_names:
        known = by_name.get(name_key(named.law))
        law = None if known else laws.by_name(named.law)
        if known or law:
            yield Designation(known or Entry(named.law, None, law), until=named.until), named.name
    for statute in ordered:
        for name in statute.former_names:
            yield Designation(by_name[name_key(statute.name_ko)], until="0001-01-01"), name


def names_unknown(pack: Pack, laws: LawIndex) -> Iterable[int]:
    """Yields the places in names.yaml of names for laws that neither the pack nor the index knows."""
    known = {name_key(statute.name_ko) for statute in pack.statutes.values()}
    for index, named in enumerate(pack.law_names):
        if name_key(named.law) not in known and laws.by_name(named.law) is None:
            yield index
