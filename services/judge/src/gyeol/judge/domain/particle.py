"""Particles that do not agree with the word before them.

Without a dictionary a particle cannot always be told from an ending (`먹는`) or a part of a word (`작가`),
so only combinations that are wrong whatever the word is are reported; what cannot be decided is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gyeol.chassis.josa import Ending, ending, josa
from gyeol.judge.domain.fault import Fault

_PAIRS: Final = (
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("과", "와"),
    ("으로", "로"),
    ("이나", "나"),
    ("이라는", "라는"),
)
_BOTH: Final = {form: pair for pair in _PAIRS for form in pair}
_SOUNDED: Final = re.compile(
    r"(?<![0-9A-Za-z])([0-9][0-9,.]*[0-9]|[0-9]|[A-Z]{2,})(은|는|을|를|이|가|와|으로|로|이라는|라는)(?=[\s,.!?)\"'”’]|$)"
)
_TOKEN: Final = re.compile(r"[가-힣]+")
_NO_EUL: Final = re.compile(r"(?:마|가|노|고|지|나|이|부|그|저|구|누|무|조|두|모)을$")
_NO_EUN: Final = re.compile(
    r"(?:나|지|이|부|그|저|모|고|다|예|하|시|가|채|소|주|세|서|도|라|누|구|여|미|조|기|태|혜|보)은$"
)
_CLOSED_NOUN: Final = re.compile(r"(?:님|들|람|것|곳)(는|를|가|와|라는)$")
_BOTH_FORMS: Final = re.compile(
    r"(?:은\(는\)|는\(은\)|이\(가\)|가\(이\)|을\(를\)|를\(을\)|과\(와\)|와\(과\)|\(으\)로|을/를|은/는|이/가)"
)


def disagreements(text: str) -> list[Fault]:
    """Particles of the wrong form, and places where the form was left open."""
    return sorted([*_sounded(text), *_written(text), *_open(text)], key=lambda fault: fault.start)


def _sounded(text: str) -> Iterator[Fault]:
    """After digits and abbreviations, which are read aloud to choose the form."""
    for hit in _SOUNDED.finditer(text):
        word, particle = hit.groups()
        place_name = particle in ("가", "로") and re.search(r"[가-힣]$", text[: hit.start()])
        right = josa(word, *_BOTH[particle])
        if right != particle and not place_name:
            yield Fault("josa", hit.start(2), hit.end(2), hit.group(), f"'{word}{right}'{_object(right)} 쓰세요")


def _written(text: str) -> Iterator[Fault]:
    for token in _TOKEN.finditer(text):
        word = token.group()
        particle = _wrong(word)
        if particle:
            right = _other(particle)
            stem = word.removesuffix(particle)
            yield Fault(
                "josa", token.end() - len(particle), token.end(), word, f"'{stem}{right}'{_object(right)} 쓰세요"
            )


def _wrong(word: str) -> str | None:
    """The particle at the end of the word that cannot be right, or None."""
    if len(word) >= 3 and word.endswith("으로") and ending(word[:-2]) in (Ending.VOWEL, Ending.RIEUL):
        return "으로"
    if len(word) < 2:
        return None
    last, before = word[-1], ending(word[:-1])
    closed = before is not Ending.VOWEL
    if last in "를와" and closed and word != "들를":
        return last
    if last == "을" and not closed and not _NO_EUL.search(word):
        return "을"
    if last == "은" and len(word) >= 3 and not closed and not _NO_EUN.search(word):
        return "은"
    found = _CLOSED_NOUN.search(word)
    return found[1] if found and len(word) > 2 else None


def _open(text: str) -> Iterator[Fault]:
    for hit in _BOTH_FORMS.finditer(text):
        yield Fault("josa", hit.start(), hit.end(), hit.group(), "앞말에 맞는 조사 하나만 쓰세요")


def _other(particle: str) -> str:
    after_consonant, after_vowel = _BOTH[particle]
    return after_vowel if particle == after_consonant else after_consonant


def _object(particle: str) -> str:
    return "로" if ending(particle) is not Ending.CONSONANT else "으로"
