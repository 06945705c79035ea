"""Korean particles: which form of a particle follows a word.

A particle such as 을/를 has one form after a final consonant (받침) and one after a vowel.
The form depends on how the word before it is read aloud, so digits and Latin letters are sounded out.
It lives in the chassis because questions (seed) and answers (policy) are rendered by two services and must agree.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from typing import Final


class Ending(enum.Enum):
    """How a word ends when read aloud."""

    VOWEL = "vowel"
    RIEUL = "rieul"
    """Final ㄹ: a consonant for every particle but 으로/로."""
    CONSONANT = "consonant"


PARTICLES: Final = frozenset(
    {
        ("은", "는"),
        ("이", "가"),
        ("을", "를"),
        ("과", "와"),
        ("으로", "로"),
        ("으로서", "로서"),
        ("으로써", "로써"),
        ("으로부터", "로부터"),
        ("아", "야"),
    }
)
"""Pairs that do not follow the pattern 이X/X."""

_SYLLABLES: Final = (0xAC00, 0xD7A3)
_FINALS: Final = 28
_RIEUL: Final = 8

_DIGITS: Final = {
    "1": Ending.RIEUL,  # 일
    "2": Ending.VOWEL,  # 이
    "3": Ending.CONSONANT,  # 삼
    "4": Ending.VOWEL,  # 사
    "5": Ending.VOWEL,  # 오
    "6": Ending.CONSONANT,  # 육
    "7": Ending.RIEUL,  # 칠
    "8": Ending.RIEUL,  # 팔
    "9": Ending.VOWEL,  # 구
}
_TRILLION: Final = range(12, 16)
"""Numbers of trailing zeros that are read 조, the only power of ten that ends in a vowel."""

_LETTERS: Final = {"L": Ending.RIEUL, "R": Ending.RIEUL, "M": Ending.CONSONANT, "N": Ending.CONSONANT}
"""Names of Latin letters that end in a consonant: 엘, 알, 엠, 엔."""

_SIGNS: Final = {"%": Ending.VOWEL, "℃": Ending.VOWEL, "㎏": Ending.CONSONANT, "㎎": Ending.CONSONANT}

_ASIDE: Final = re.compile(r"[(\[〔（][^()\[\]〔〕（）]*[)\]〕）]\s*$")
"""A remark in brackets at the end: the particle agrees with the word before it."""

_LAST_RUN: Final = re.compile(r"(?:[0-9][0-9,.]*[0-9]|[0-9]|[A-Za-z]+|[가-힣]|[%℃㎏㎎])(?=[^0-9A-Za-z가-힣%℃㎏㎎]*$)")


def pair_of(alternation: str) -> tuple[str, str] | None:
    """Returns (form after a consonant, form after a vowel) of `을/를`, or None when it is no particle."""
    after_consonant, slash, after_vowel = alternation.partition("/")
    if not slash or not after_vowel:
        return None
    if (after_consonant, after_vowel) in PARTICLES:
        return after_consonant, after_vowel
    if after_consonant == "이" + after_vowel:
        return after_consonant, after_vowel
    # The copula contracts: 이에요/예요, 이었어요/였어요.
    for full, short in (("이에", "예"), ("이었", "였")):
        if after_vowel.startswith(short) and after_consonant == full + after_vowel.removeprefix(short):
            return after_consonant, after_vowel
    return None


def ending(word: str) -> Ending | None:
    """Returns how `word` ends when read aloud; None when nothing in it can be read."""
    text = unicodedata.normalize("NFC", word)
    while (shorter := _ASIDE.sub("", text)) != text and shorter.strip():
        text = shorter
    found = _LAST_RUN.search(text)
    if found is None:
        return None
    run = found.group()
    last = run[-1]
    if _SYLLABLES[0] <= ord(last) <= _SYLLABLES[1]:
        return _final(last)
    if last.isdigit():
        return _number(run)
    return _SIGNS[last] if last in _SIGNS else _latin(run)


def josa(word: str, after_consonant: str, after_vowel: str) -> str:
    """Returns the form that follows `word`.

    When the word cannot be read aloud both forms are given, as in careful Korean writing: `을(를)`.
    """
    sound = ending(word)
    if sound is None:
        return f"{after_consonant}({after_vowel})"
    if sound is Ending.VOWEL or (sound is Ending.RIEUL and after_consonant.startswith("으로")):
        return after_vowel
    return after_consonant


def _final(syllable: str) -> Ending:
    final = (ord(syllable) - _SYLLABLES[0]) % _FINALS
    if final == 0:
        return Ending.VOWEL
    return Ending.RIEUL if final == _RIEUL else Ending.CONSONANT


def _number(run: str) -> Ending:
    if run[-1] != "0":
        return _DIGITS[run[-1]]
    digits = run.replace(",", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    return Ending.VOWEL if zeros in _TRILLION and "." not in digits else Ending.CONSONANT


def _latin(run: str) -> Ending:
    """Abbreviations are spelled out (CCTV), words are sounded (Instagram); sounding a word is a rule of thumb."""
    if run.isupper() or len(run) == 1:
        return _LETTERS.get(run[-1].upper(), Ending.VOWEL)
    word = run.lower()
    if word.endswith(("le", "l")):
        return Ending.RIEUL
    if word.endswith(("me", "ne", "m", "n", "ng", "ck", "ok", "ook", "ap", "op", "eb", "ip", "et")):
        return Ending.CONSONANT
    return Ending.VOWEL
