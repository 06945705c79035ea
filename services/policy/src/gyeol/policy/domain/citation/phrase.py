"""Where the name of a law that nobody knows begins: its last word is plain, the words before it are judged one by one.

전국민 고용안정 특별조치법                 nouns side by side are one name
피해자를 위한 긴급 지원에 관한 법률          small words join what a title joins with them
회사가 또 메타버스 보호법                   a particle or an adverb ends what came before
"""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Final

_OPENING: Final = "「'\"([*_`|#>"
_LONGEST: Final = 9
"""Words of a title that are looked at."""
_NOUNS: Final = 6
"""Words side by side that are taken for one name as long as no 에 관한 or the like holds them together."""

_STOP: Final = re.compile(
    r"(?:[은는을를며고면서다요죠니까]|지만|으로|에서|에게|따라|따르면|하여|대로|이나|거나|그리고|또는|위해|통해|또한|특히|바로|현행|우리|[.,:;!?]|[)」])$"
)
"""Ends of words that no title begins before."""
_PARTICLE: Final = re.compile(
    r"(?:[이가도만과와에의된될할던]|(?<![제권북기무유시])한|(?:하|되|으|이|주|가르치|알리)신|(?<!머)니|께|운|(?<![일기자원대사])본|낸|든|룬|킨|친|린|뜬|쓴|중인|(?<![도통학진항경원수선활철])로|나온|생긴|바뀐|밝힌|알려진|불린|에는|에도|부터|까지|처럼|보다|마다|조차|이라|라는|이란)$"
)
"""Ends of words that belong to the sentence, unless titles have the very word."""
_CLAUSE: Final = re.compile(
    r"(?:[은는을를며다요죠까]|지만|하고|되고|이고|으로|에서|에게|따라|면서|(?<![화표지가수측방단도내외전])면|니까|아서|어서|해서|여서|하여|대로|이나|거나|\d(?:년|월|일|조|항|호|명|원|개)?)$"
)
"""Ends of words after which something new begins."""
_JOINING: Final = {
    "위한": r"[을를]$",
    "통한": r"[을를]$",
    "이용한": r"[을를]$",
    "관한": r"에$",
    "대한": r"에$",
    "따른": r"에$",
    "의한": r"에$",
    "인한": r"로$",
    "대상으로": r"[을를]$",
}
"""What the word before a joining word ends with: 피해자를 위한."""
_SMALL: Final = frozenset({*_JOINING, "및", "등", "등의", "등을", "등에", "또는"})
_LINKS: Final = re.compile(r"(?:관한|위한|대한|따른|의한|인한|통한)$")
_APART: Final = re.compile(
    r"또|또한|그리고|그래서|따라서|하지만|그러나|그런데|다만|만약|만일|혹시|특히|바로|아마|역시|물론|실제로|최근|현재|지금|오늘|당시|이번|올해|작년|내년|우리|우리나라|한국"
    r"|대한민국|국내|현행|이른바|소위|일명|각각|모두|먼저|우선|다음|예컨대|예시|예|참고|참조|근거|법적|답변|결론|질문|관련|해당|위|아래|이|그|저|본|같은|동|구|옛|새|경우|때"
    r"|시|혹은|즉|제발|진짜|정말|그냥|대략|약|총|단|사실|과거|향후|앞으로|이제|이미|아직|곧|방금|어제|내일|여기|거기|저기|어떤|무슨|모든|여러|다른|일부|각|매|전|후|중|외"
    r"|상|하|측|및|등|vs|준|낸|쓴|된|한|난"
)
"""Words that stand before a name and are none of it."""


def word_starts(gap: str, start: int) -> list[int]:
    """Returns where a title may begin that ends with the word at `start`: at this word, the word before, ...

    The last one is as far left as the phrase goes.
    """
    starts = [start]
    for word in reversed(list(re.finditer(r"\S+", _line(gap[:start])))[-_LONGEST:]):
        if _STOP.search(word.group()):
            break
        starts.append(_opened(gap, word.start(), word.end()))
        if word.group()[0] in _OPENING:
            break
    return starts


def name_start(gap: str, start: int, words: Set[str]) -> int:
    """Returns where an unknown name begins whose last word is at `start`; `words` are those of the titles there are."""
    if start and not gap[start - 1].isspace():
        return start
    begin, following, linked, nouns = start, gap[start:], False, 0
    for word in reversed(list(re.finditer(r"\S+", _line(gap[:start])))[-_LONGEST:]):
        inside = word.group().lstrip(_OPENING)
        if not _belongs(inside, following, linked, words):
            break
        linked = linked or bool(_LINKS.search(inside))
        nouns += not linked
        if nouns >= _NOUNS:
            break
        if inside not in _SMALL:
            begin = _opened(gap, word.start(), word.end())
        if word.group() != inside:
            break
        following = inside
    return begin


def _belongs(word: str, following: str, linked: bool, words: Set[str]) -> bool:
    """True: the word goes on to the left of `following` in one title."""
    if word in _SMALL or (word == "전" and following.startswith(("국민", "직원", "세계", "가족"))):
        return True
    if not word or _APART.fullmatch(word) or not re.fullmatch(r"\w[\w·\-]*", word):
        return False
    if ending := _JOINING.get(following):
        return bool(re.search(ending, word))
    if word in words:
        return True
    if _PARTICLE.search(word) or _CLAUSE.search(word):
        return linked and word.endswith(("의", "와", "과"))
    return True


def _line(text: str) -> str:
    """Blanks what is in another line than the end of the text."""
    begin = text.rfind("\n") + 1
    return " " * begin + text[begin:]


def _opened(gap: str, start: int, end: int) -> int:
    """Returns the place after brackets and marks that open a word."""
    return end - len(gap[start:end].lstrip(_OPENING))
