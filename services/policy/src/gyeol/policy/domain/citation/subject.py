"""What the words before an article number say it is an article of."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from gyeol.policy.domain.citation.foreign import abroad, foreign, lettered
from gyeol.policy.domain.citation.phrase import name_start, word_starts
from gyeol.policy.domain.citation.title import Designation, Titles


@dataclass(frozen=True)
class Subject:
    """What an article belongs to; exactly one of the first three is set, none for articles of no law."""

    designation: Designation | None = None
    unknown: str = ""
    """A name no law bears."""
    outside: str = ""
    """Why it cannot be looked up."""
    named: str = ""
    """The name of what is outside, as written; empty when none is."""

    @property
    def elsewhere(self) -> bool:
        """True: articles of terms, bylaws or contracts, which are no citations of law."""
        return self == ELSEWHERE


ELSEWHERE: Final = Subject()
NO_LAW_NAMED: Final = Subject(outside="어느 법의 조문인지 적혀 있지 않습니다.")
ADDENDA: Final = "부칙의 조문은 색인에 없습니다."
EARLIER: Final = "개정 전의 법을 가리키므로 지금의 조문과 견줄 수 없습니다."
FOREIGN: Final = "다른 나라의 법이나 국제 규범이어서 색인에 없습니다."
LOCAL: Final = "법률이 아닌 규정이나 조약이어서 색인에 없습니다."


@dataclass(frozen=True)
class Pointer:
    """The words that point to a subject, from a place of the text on."""

    start: int
    subject: Subject


_BACK: Final = re.compile(
    r"(?<![가-힣])(?:(?:같은|동|이|그|위|해당|당해|본|상기|전기|앞의)\s?(?:법률|법령|법)|(?:현행|개정|관련|관계|상위|실정)?법)"
    r"\s*(?P<decree>시행령|시행규칙)?\s*(?:의|상)?\s*$"
)
_DECREE_BACK: Final = re.compile(
    r"(?<![가-힣])(?:(?:같은|동|이|그|위)\s?(?P<short>영|령|규칙)|(?:같은\s?|동\s?)?(?P<decree>시행령|시행규칙))\s*(?:의|상)?\s*$"
)
_SAME: Final = re.compile(r"(?<![가-힣])(?:같은|동|이|그|위|본)\s?$")
_OWN_DECREE: Final = re.compile(
    r"(?<![가-힣])(?!(?:해당|현행|관련|상위|개정|당해|관계|실정)법)[가-힣]{2,}법(?:률)?[」'\")]*\s+(?:시행령|시행규칙)\s*(?:의|상)?\s*$"
)
"""The decree of a law that is named right before it: 공공예절진흥법 시행령."""
_DECREE: Final = re.compile(r"\s*(?:시행령|시행규칙)$")
_ADDENDA: Final = re.compile(r"부칙\s*(?:\([^()]*\)|<[^<>]*>)?\s*(?:의)?\s*$")
_ELSEWHERE: Final = re.compile(
    r"(?:약관|정관|당헌|당규|종헌|회칙|계약서?|내규|사규|취업\s?규칙|단체\s?협약|학칙|교칙|합의서|협정서|관리\s?규약|자치\s?규약|조합\s?규약|매뉴얼|설명서|특약|각서|방침|가이드라인|수칙"
    r"|유언장|(?:운영|인사|사내|회사|내부|복무|학사)\s?규정|(?:운영|이용|내부)\s?지침|(?:이|본|위|모임|동호회)\s?(?:규약|규정|규칙))\s*(?:의|상|에서|에는?)?\s*$"
)
_LAWLIKE: Final = re.compile(
    r"(?P<name>(?:[가-힣A-Za-z0-9·]+법[」'\")]*\s+(?=시행))?[가-힣A-Za-z0-9·]*?(?P<kind>법률|법|시행령|시행규칙|규칙|규정|조례|조약|협약|협정|규약|의정서|헌장|장전|선언|훈령|예규|고시|지침|강령|세칙|준칙|기준|요령|대통령령|부령|총리령))"
    r"[」'\")\]*_`]*\s*(?:\([^()\n]{1,40}\)\s*)?(?:제?\s*\d[\d-]*\s*호\s*)?[」'\")\]*_`]*\s*(?:의|상|[:|])?\s*[「'\"(\[*_`]*\s*$"
)
_ACTS: Final = frozenset({"법률", "법", "시행령", "시행규칙"})
_CODES: Final = frozenset({"기본법", "연방법", "형법전", "민법전"})
"""Laws that other countries have and Korea has not."""
_NO_LAW: Final = frozenset(
    {
        "방법",
        "문법",
        "화법",
        "요법",
        "어법",
        "용법",
        "기법",
        "수법",
        "비법",
        "편법",
        "불법",
        "위법",
        "합법",
        "적법",
        "입법",
        "사법",
        "준법",
        "율법",
        "산법",
        "창법",
        "병법",
        "마법",
        "무법",
        "탈법",
        "해법",
    }
)
"""Words that end like a law and are none."""
_GENERIC: Final = re.compile(
    r"^(?:보호|처벌|방지|지원|진흥|관리|촉진|예방|특별|특례|기본|규제|육성|복지|윤리|안전|조치){0,2}(?:법률|법|시행령|시행규칙)$"
)
_ENGLISH: Final = re.compile(
    r"(?P<name>(?:[A-Z][A-Za-z'’-]*\s+(?:(?:and|of|on|the|for|in|against)\s+)*){1,8}(?:Act|Law|Code))\s*,?\s*$"
)
_NARROWING: Final = re.compile(
    r"(?<![가-힣])(?:노인|청소년|아동|어린이|여성|장애인|학생|국민|시민|근로자|노동자|직장인|소비자|외국인|이주민|군인|공무원|교사|환자|가족|여객"
    r"|청년|농민|어민|농어민|임차인|세입자|전국민|소상공인|자영업자|프리랜서|유튜버|블록체인|가상자산|암호화폐|로봇|드론"
    r"|사이버|디지털|온라인|인터넷|모바일|스마트|메타버스|인공지능|AI|전자|통합|포괄적|특별|긴급|반려동물|데이터|플랫폼)\s$"
)
"""A word that makes another law of the one it stands before: a 사이버 스토킹처벌법 does not exist."""


def pointer(gap: str, offset: int, spoken: Subject | None, titles: Titles) -> Pointer | None:
    """Returns what the end of `gap`, the text before a number, points to; `offset` is the place of the gap.

    `spoken` is what was spoken of last.
    """
    if found := _ELSEWHERE.search(gap):
        return Pointer(offset + found.start(), ELSEWHERE)
    if found := _ADDENDA.search(gap):
        return Pointer(offset + found.start(), Subject(outside=ADDENDA))
    if (found := _BACK.search(gap) or _DECREE_BACK.search(gap)) and not _OWN_DECREE.search(gap[: found.end()]):
        return Pointer(offset + found.start(), _back(found, spoken, titles))
    if found := _LAWLIKE.search(gap):
        if found["kind"] not in _ACTS:
            return _regulation(gap, offset, found, spoken, titles)
        if found["name"] in _NO_LAW:
            return Pointer(offset + found.start(), ELSEWHERE)
        return _named(gap, offset, found, spoken, titles)
    if found := lettered(gap):
        return Pointer(offset + found.start(), Subject(outside=FOREIGN, named=found.group()))
    if found := _ENGLISH.search(gap):
        name = found["name"].removeprefix("The ")
        return Pointer(offset + found.end("name") - len(name), english(name))
    return None


def english(name: str) -> Subject:
    """Returns the subject of an English name that no known law bears: an invented one, or one of another country."""
    words = re.finditer(r"\s+", name)
    if any(foreign(name[: gap.end()]) for gap in words):
        return Subject(outside=FOREIGN, named=name)
    return Subject(unknown=name)


def narrowed(before: str) -> str:
    """Returns the word before the name of a law that makes another, unknown law of it; usually none."""
    found = _NARROWING.search(before)
    return found.group() if found else ""


def decree(subject: Subject, kind: str, titles: Titles) -> Subject:
    """Returns the enforcement decree (시행령) or rule (시행규칙) of a law."""
    if subject.designation is None:
        return subject
    name = f"{_DECREE.sub('', subject.designation.entry.name)} {kind}"
    known = titles.designation(name)
    return Subject(designation=known) if known else Subject(unknown=name)


def _back(found: re.Match[str], spoken: Subject | None, titles: Titles) -> Subject:
    if spoken is None or spoken.elsewhere:
        return NO_LAW_NAMED
    groups = found.groupdict()
    kind = groups.get("decree") or {"영": "시행령", "령": "시행령", "규칙": "시행규칙"}.get(groups.get("short") or "")
    return decree(spoken, kind, titles) if kind else spoken if "법령" in found.group() else _act(spoken, titles)


def _act(subject: Subject, titles: Titles) -> Subject:
    """Returns the law a decree carries out, which 같은 법 means after the decree; any other subject as it is."""
    if subject.designation is None or not _DECREE.search(subject.designation.entry.name):
        return subject
    known = titles.designation(_DECREE.sub("", subject.designation.entry.name))
    return Subject(designation=known) if known else subject


def _regulation(gap: str, offset: int, found: re.Match[str], spoken: Subject | None, titles: Titles) -> Pointer:
    """An ordinance, a treaty, a notice: 서울특별시 학생인권 조례, 같은 조례."""
    if found["name"] == found["kind"] and spoken and spoken.outside == LOCAL and _SAME.search(gap[: found.start()]):
        return Pointer(offset + found.start(), spoken)
    start = name_start(gap, found.start("name"), titles.words)
    return Pointer(offset + start, Subject(outside=LOCAL, named=gap[start : found.end("name")]))


def _named(gap: str, offset: int, found: re.Match[str], spoken: Subject | None, titles: Titles) -> Pointer:
    """Goes to the left as far as the words may belong to the title; a title that is only loosely written is one too."""
    end = found.end("name")
    starts = word_starts(gap, found.start("name"))
    for start in reversed(starts):
        if known := titles.loosely(gap[start:end]):
            return Pointer(offset + start, Subject(designation=known))
    for start in starts:
        if country := foreign(gap[:start]):
            start -= len(country)
            return Pointer(offset + start, Subject(outside=FOREIGN, named=gap[start:end]))
    code = found["name"].removeprefix(abroad(found["name"]))
    if code != found["name"] and (code in _CODES or titles.designation(code)):
        return Pointer(offset + starts[0], Subject(outside=FOREIGN, named=found["name"]))
    start = name_start(gap, starts[0], titles.words)
    if start == starts[0] and _GENERIC.match(found["name"]):
        return Pointer(offset + start, _back(found, spoken, titles))
    return Pointer(offset + start, Subject(unknown=gap[start:end]))
