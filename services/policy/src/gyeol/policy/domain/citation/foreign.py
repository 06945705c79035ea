"""Laws of other countries and rules among countries: a national index does not hold them."""

from __future__ import annotations

import re
from typing import Final

_COUNTRIES: Final = (
    "오스트리아|인도네시아|말레이시아|우크라이나|캘리포니아|유럽연합|싱가포르|이탈리아|네덜란드|노르웨이|튀르키예|이스라엘|아일랜드|뉴질랜드|바이마르|프랑스|러시아|베트남|캐나다|필리핀|스위스|스페인|스웨덴"
    "|덴마크|핀란드|브라질|멕시코|폴란드|벨기에|텍사스|일본|미국|중국|독일|영국|북한|대만|유럽|EU|호주|인도|태국|터키|홍콩|몽골|뉴욕|소련"
)
"""The longest first."""
_COUNTRY: Final = re.compile(
    rf"(?<![가-힣])(?:{_COUNTRIES})[국주]?(?:의|에서는|에서)?\s*(?:[가-힣]{{2,6}}주(?:의)?\s+|연방(?:의)?\s*)?[「'\"]*$"
    r"|\b(?:Japan|America|China|Germany|France|California|New York|the (?:EU|UK|US))['’]?s\s+$"
    r"|\b(?:Japanese|American|Chinese|German|French|British|UK|US|U\.S\.|EU|European|Indian|Australian|Canadian|Taiwanese|Vietnamese|Swiss|Italian|Spanish"
    r"|Russian|Dutch|Swedish|Californian?|North\sKorean|DPRK)\s+(?:Federal\s+)?$"
)
_LETTERS: Final = re.compile(
    r"(?<![A-Za-z])(?:EU\s+)?(?:GDPR|CCPA|CPRA|DMCA|HIPAA|COPPA|FERPA|DSA|DMA|GATT|GATS|TRIPS|CEDAW|ICCPR|ICESCR|UNCRC|CRPD|UDHR|UNCLOS|CISG|SOFA|FTA|ECHR"
    r"|NetzDG|BGB|StGB|AI\s+Act)(?![A-Za-z])"
    r"|(?<![A-Za-z])(?:[A-Z][\w'’-]*\s+(?:(?:and|of|on|the|for|in|against|to)\s+)*){0,8}"
    r"(?:Convention|Covenant|Treaty|Charter|Declaration|Agreement|Protocol|Regulation|Directive)"
    r"(?:\s+(?:(?:on|against|for|of|to|the|and|relating|concerning)\s+)+[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*)*(?![A-Za-z])"
)
"""Regulations, treaties and codes of others that go by their letters or by an English name."""
_BEHIND: Final = re.compile(r"(?:\([^()\n]{1,40}\))?(?:의)?\s*,?\s*")
"""Between the letters and a number."""


def foreign(before: str) -> str:
    """Returns the words before the name of a law that say that it is another country's; usually none."""
    found = _COUNTRY.search(before)
    return found.group() if found else ""


def lettered(text: str) -> re.Match[str] | None:
    """Returns the letters such a law goes by, when only a bracket and a particle stand between them and the end: GDPR 제17조."""
    found = list(_LETTERS.finditer(text))
    return found[-1] if found and _BEHIND.fullmatch(text, found[-1].end()) else None


def letters(text: str, start: int) -> str:
    """Returns the letters such a law goes by at a place of a text; usually none: Article 17 of the GDPR."""
    found = _LETTERS.match(text, start)
    return found.group() if found else ""


def abroad(name: str) -> str:
    """Returns the country that the name of a law begins with, as in 독일기본법; usually none."""
    found = re.match(_COUNTRIES, name)
    return found.group() if found else ""
