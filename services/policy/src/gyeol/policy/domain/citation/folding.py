"""One spelling for what means the same, with the way back to the text as written."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_SAME: Final = {
    **dict.fromkeys("ㆍ‧・•∙⋅･", "·"),
    **dict.fromkeys("～∼〜˜", "~"),
    **dict.fromkeys("–—−‑‐―", "-"),
    **dict.fromkeys("『《〈≪«", "「"),
    **dict.fromkeys("』》〉≫»", "」"),
    **dict.fromkeys("‘’‛`´", "'"),
    **dict.fromkeys("“”„″", '"'),
    **dict.fromkeys("〔［【", "["),
    **dict.fromkeys("〕］】", "]"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
    "第": "제",
    "條": "조",
    "条": "조",
    "項": "항",
    "號": "호",
    "号": "호",
}
"""What compatibility normalisation does not unite."""

_SQUEEZED: Final = frozenset(" \t\u00a0\u3000·「」'\"")

_DATE_DOT: Final = re.compile(r"(?<=\d)\.(?=\d)")
"""5.18 is how a keyboard writes 5·18."""


@dataclass(frozen=True)
class Folded:
    """A text in one spelling. `origin[i]` is the place of its character i in the text it was made from."""

    text: str
    origin: tuple[int, ...]
    """One longer than the text: the last one is the end."""


def folded(text: str) -> Folded:
    """Returns a text with one spelling for dots, dashes, brackets, quotation marks, full width and Chinese signs."""
    characters: list[str] = []
    origin: list[int] = []
    for place, character in enumerate(text):
        for same in character if "가" <= character <= "힣" or character < "\x80" else _fold(character):
            characters.append(same)
            origin.append(place)
    return Folded("".join(characters), (*origin, len(text)))


def squeezed(text: str) -> Folded:
    """Returns a folded text without what may stand or be missing inside the name of a law: spaces, dots, marks."""
    dots = {match.start() for match in _DATE_DOT.finditer(text)} if "." in text else frozenset[int]()
    places = [place for place, character in enumerate(text) if character not in _SQUEEZED and place not in dots]
    return Folded("".join(text[place] for place in places), (*places, len(text)))


@lru_cache(maxsize=1024)
def _fold(character: str) -> str:
    if character in _SAME:
        return _SAME[character]
    if character in "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳":
        return character  # a paragraph, not the number that compatibility normalisation would glue to the one before
    return "".join(_SAME.get(same, same) for same in unicodedata.normalize("NFKC", character))
