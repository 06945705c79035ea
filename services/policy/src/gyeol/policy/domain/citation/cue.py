"""Whether a number that stands alone, with no law named for it, is an article at all.

그건 제15조에 따라 처리됩니다.     a citation, although nobody can say of which law
제2조가 먼저 출발합니다.           a group of people
"""

from __future__ import annotations

import re
from typing import Final

from gyeol.policy.domain.citation.article import ArticleMention

_CERTAIN: Final = 100
"""No class is split into so many groups."""

_PART: Final = re.compile(r"(?:[항호목)§①-⑳]|본문|단서|전단|후단)$")
"""Only articles have paragraphs and items."""

_AFTER: Final = re.compile(
    r"\s*\([가-힣 ·,]{2,30}\)"
    r"|[^.!?\n]{0,12}?(?:따라|따르|따른|의하|의한|의해|의거|근거|위반|규정|조항|조문|법|적용|해당|정한|정하|정해|명시|개정|삭제|신설|벌칙|처벌|위헌|준용|참조|참고|기재|저촉|어긋"
    r"|요건|확인|살펴|읽어|비추|상의\s|소정의|pursuant|violat|applies|penal)"
)
_BEFORE: Final = re.compile(
    r"(?:법률?|법령|조항|조문|규정|근거|위반|참조|죄|벌칙|pursuant to|under|violat\w*(?: of)?|penal\w*)(?:인|은|는|의|상)?\s*[:：(]?\s*$",
    re.IGNORECASE,
)
_GROUP: Final = re.compile(r"\s*(?:조원|조장|팀|배수|편성|출발|경기|발표|모둠|순서|차례)")


def cited(text: str, article: ArticleMention) -> bool:
    """True: the words around a number in a folded text say that it is an article of some law."""
    if _GROUP.match(text, article.end):
        return False
    if article.branched or _PART.search(text, article.start, article.end) or text[article.start] == "§":
        return True
    number = re.search(r"\d+", article.article)
    if number and int(number.group()) >= _CERTAIN:
        return True
    return bool(_AFTER.match(text, article.end) or _BEFORE.search(text, max(0, article.start - 20), article.start))
