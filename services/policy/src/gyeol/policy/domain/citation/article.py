"""The numbers of articles, and where they occur in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_UNIT: Final = (
    r"(?![.,]\d)(?!(?:항|호|가지|개|명|번|차례|년|월|일(?!까|지|\s?(?:경우|때|수))|배|분|인(?!지|데|가)|회|단계|요건|원칙|대(?!로)|부(?!터|분)|편|장|절"
    r"|%|％|퍼센트|프로|억|만\s*원|천\s*원|백\s*만|원|주\s*(?:이내|안|동안)|시간|세|살|건|곳|종|km|㎞|㎡|m\b))"
    r"(?!\s+(?:[항호]|(?:가지|개|명|번|차례|년|개?월|일|배|분|인|회|단계|대|부|편|장|절|주|시간|세|살|건|곳|종|요건|원칙|퍼센트|프로|억|만|천|백|원)"
    r"(?=[을를이가은는의씩으로]?(?:\s|[.,)]|$)|이상|이하|이내|미만|한도|까지|원|만|동안)|[%％㎞㎡]|km|m\b))"
)
"""A number after 의 that counts something is no branch number: 제3조의 2가지 요건, 제7조의 5% 한도; but 제11조의9부터, 82조의6 인터넷 실명제."""

_MARK: Final = r"(?P<mark>(?:(?<![가-힣])|(?<=[법률령칙정]))제\s+|제(?=\d))?"
"""Apart from its number 제 is a word of its own or stands right after a law: 형법제 307조, but not 과제 2조."""

_BRANCH: Final = rf"(?:\s*의\s*\d{{1,3}}(?!\d){_UNIT})"
_NUMBER: Final = r"\d{1,4}"
_CIRCLED: Final = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"

PARAGRAPHS: Final = (
    rf"(?:\s*(?:제\s*\d+\s*항(?:의\s*\d+)?|\d+\s*항|[{_CIRCLED}])"
    r"(?:\s*(?:제\s*)?\d+\s*호(?:의\s*\d+)?)?(?:\s*[가-하]목)?|\s*(?:제\s*)\d+\s*호(?:의\s*\d+)?(?:\s*[가-하]목)?)?"
    r"(?:\s*(?:전단|후단|본문|단서|각\s*호))?"
)
"""What stands after the article: 제1항제2호 단서. It belongs to the citation; see `part`."""

_KOREAN: Final = re.compile(
    rf"{_MARK}(?<![\d.])(?P<main>{_NUMBER})\s*(?:조(?!각|건|회|직|합|치|언|카|선)(?P<branch>{_BRANCH}*)"
    rf"|(?P<inside>(?:의\s*\d{{1,3}})+)\s*조)(?P<tail>{PARAGRAPHS})"
)
"""제44조의7제1항, 44조의7, and 제44의7조 as some write it."""

_SECTION: Final = re.compile(
    rf"§{{1,2}}\s*(?P<main>{_NUMBER})(?:\s*(?:의|-)\s*(?P<branch>\d{{1,3}}))?\s*조?(?P<tail>{PARAGRAPHS}|\s*\(\d+\))"
)
_ENGLISH: Final = re.compile(
    rf"(?<![A-Za-z])(?:Article|Art|Section|Sec)(?P<several>s)?\.?\s*(?P<main>{_NUMBER})(?:\s*(?:-|bis)\s*(?P<branch>\d{{1,3}}))?"
    r"(?P<tail>(?:\s*\(\d+\))*(?:,?\s*(?:Paragraph|para\.?)\s*\(?\d+\)?)?)",
    re.IGNORECASE,
)
_FURTHER: Final = re.compile(
    rf"\s*(?:,\s*and|,|and|or|to|through|-)\s*(?P<main>{_NUMBER})(?:-(?P<branch>\d{{1,3}}))?(?:\s*\(\d+\))*"
)
_SPELLED: Final = re.compile(rf"제\s*(?P<word>[일이삼사오육칠팔구십백천]{{2,9}})\s*조(?P<tail>{PARAGRAPHS})")
"""제삼백칠조."""

_AMOUNT: Final = re.compile(r"\s*(?:여\s*)?(?:원(?!칙|인|본)|달러|엔|유로|위안|\d+억|\d+천)")
"""After it 조 is a trillion."""

_SHARED: Final = re.compile(
    rf"{_MARK}(?<![\d.])(?P<first>{_NUMBER}(?:의\s*\d{{1,3}})?)(?P<rest>(?:\s*[·,~\-]\s*제?\s*{_NUMBER}(?:의\s*\d{{1,3}})?)+)"
    r"(?=\s*조)"
)
"""Numbers that share one 조: 제307·308·311조, 307~311조. The last one is found by itself."""

_BRANCHED: Final = re.compile(r"제?\s*(\d+)-(\d+)")
"""제44-7조 is no range: 제44조의7."""

_DIGITS: Final = {digit: value for value, digit in enumerate("일이삼사오육칠팔구", 1)}
_POWERS: Final = {"십": 10, "백": 100, "천": 1000}


_PARAGRAPH: Final = re.compile(rf"(\d+)\s*항|([{_CIRCLED}])|\((\d+)\)")
_ITEM: Final = re.compile(r"(\d+)\s*호(?:\s*의\s*(\d+))?")


def part(cited: str) -> str:
    """Returns which part of an article a folded citation names, `제1항제3호`; empty when it names all of it."""
    tail = cited.rpartition("조")[2]
    paragraph, item = _PARAGRAPH.search(tail), _ITEM.search(tail)
    written = ""
    if paragraph:
        number = _CIRCLED.index(paragraph[2]) + 1 if paragraph[2] else int(paragraph[1] or paragraph[3])
        written = f"제{number}항"
    if item:
        written += f"제{item[1]}호" + (f"의{item[2]}" if item[2] else "")
    return written


@dataclass(frozen=True)
class ArticleMention:
    """The number of an article at a place of the folded text."""

    start: int
    end: int
    article: str
    """`제44조의7`."""
    marked: bool
    """True: written with 제, § or Article, so that it is an article even where no law is named."""
    english: bool = False
    branched: bool = False
    """True: has a branch number, 39조의2, which nothing but an article has."""
    same: bool = False
    """True: written as 같은 조; `article` is empty and means the one before."""


_SAME: Final = re.compile(
    rf"(?<![가-힣])(?:같은|동|위|이|그)\s?조(?=\s*(?:제\s*)?\d+\s*[항호]|\s*[{_CIRCLED}])(?P<tail>{PARAGRAPHS})"
    r"|(?<![가-힣])같은 조(?:에 따라|에 따르면|에 의하면|에 의해|에서(?:는|도)?|의 규정)"
)


def article_mentions(text: str) -> list[ArticleMention]:
    """Returns every article number of a folded text in order."""
    found = [
        *_korean(text),
        *_shared(text),
        *_other(text),
        *(ArticleMention(m.start(), m.end(), "", marked=True, same=True) for m in _SAME.finditer(text)),
    ]
    found.sort(key=lambda mention: (mention.start, -mention.end))
    kept: list[ArticleMention] = []
    for mention in found:
        if not kept or mention.start >= kept[-1].end:
            kept.append(mention)
    return kept


def _korean(text: str) -> Iterator[ArticleMention]:
    ranged = {match.end() for match in _SHARED.finditer(text)}
    for match in _KOREAN.finditer(text):
        before = text[match.start() - 1 : match.start()]
        dashed = before == "-" and match.end("main") not in ranged
        if before.isdigit() or (not match["mark"] and (dashed or _AMOUNT.match(text, match.end()))):
            continue
        branches = re.findall(r"\d+", match["branch"] or match["inside"] or "")
        written = _written(match["main"], branches)
        yield ArticleMention(match.start(), match.end(), written, marked=bool(match["mark"]), branched=bool(branches))


def _shared(text: str) -> Iterator[ArticleMention]:
    for match in _SHARED.finditer(text):
        if (branched := _BRANCHED.fullmatch(match.group())) and int(branched[2]) < int(branched[1]):
            end = text.index("조", match.end()) + 1
            yield ArticleMention(
                match.start(), end, _written(branched[1], [branched[2]]), bool(match["mark"]), branched=True
            )
            continue
        yield _listed(match.start(), match.end("first"), match["first"], bool(match["mark"]))
        numbers = list(re.finditer(rf"{_NUMBER}(?:의\s*\d{{1,3}})?", match["rest"]))
        for number in numbers[:-1]:
            offset = match.start("rest")
            yield _listed(offset + number.start(), offset + number.end(), number.group(), bool(match["mark"]))


def _listed(start: int, end: int, number: str, marked: bool) -> ArticleMention:
    main, *branches = re.findall(r"\d+", number)
    return ArticleMention(start, end, _written(main, branches), marked=marked)


def _other(text: str) -> Iterator[ArticleMention]:
    if "§" in text:
        for match in _SECTION.finditer(text):
            yield ArticleMention(match.start(), match.end(), _written(match["main"], [match["branch"]]), marked=True)
            yield from _further(text, match.end()) if match.group().startswith("§§") else ()
    for match in _ENGLISH.finditer(text):
        yield from _english(text, match)
    for match in _SPELLED.finditer(text):
        if any(power in match["word"] for power in _POWERS):
            yield ArticleMention(match.start(), match.end(), _written(str(_value(match["word"])), []), marked=True)


def _english(text: str, match: re.Match[str]) -> Iterator[ArticleMention]:
    ranged = bool(match["several"] and match["branch"] and int(match["branch"]) > int(match["main"]))
    end = match.end("main") if ranged else match.end()
    article = _written(match["main"], [] if ranged else [match["branch"]])
    yield ArticleMention(match.start(), end, article, marked=True, english=True)
    if match["several"]:
        yield from _further(text, end, english=True)


def _further(text: str, end: int, *, english: bool = False) -> Iterator[ArticleMention]:
    """Yields the numbers that go on from one written in the plural: Articles 15, 17 and 22; §§ 23, 24."""
    while further := _FURTHER.match(text, end):
        end = further.end()
        article = _written(further["main"], [further["branch"]])
        yield ArticleMention(further.start("main"), end, article, marked=True, english=english)


def _written(main: str, branches: list[str]) -> str:
    return f"제{int(main)}조" + "".join(f"의{int(branch)}" for branch in branches if branch)


def _value(word: str) -> int:
    total = digit = 0
    for sign in word:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        else:
            total += (digit or 1) * _POWERS[sign]
            digit = 0
    return total + digit
