"""Reads the chosen option out of a reply, strictly: what cannot be read is unscored, never wrong by default."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

_CIRCLED = {chr(0x2460 + index): str(index + 1) for index in range(10)}
_THINKING = re.compile(r"<(think|thinking|reasoning|thought)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_DECORATION = re.compile(r"[*_`#>\"'“”‘’「」『』$]|\\(?:boxed|text|mathrm)|[{}]")
_MARK = r"[(\[<]?\s*([1-9A-Ja-j])\s*[)\]>.]?"
_END = r"(?:번|이|입|예|가|을|를|로|라고|인|,|$|[^0-9A-Za-z가-힣])"
_AND = r"\s*번?\s*(?:와|과|및|또는|혹은|이나|나|,|/|and\b|or\b)\s*"
# A second mark that is joined to the first makes the reply ambiguous, unless it is the topic of what follows ("B, C는 …").
_ANSWER = re.compile(
    rf"(?:최종\s*)?(?:정답|답변|해답|답|answer|선택(?:지)?|고르면|choice|option)\s*(?:은|는|이|으로|로|:|：|is|=)?\s*[:：]?\s*(?:보기|선택지|option|choice)?\s*{_MARK}\s*"
    rf"(?:{_AND}{_MARK}(?!\s*번?\s*(?:은|는|이|가)(?![가-힣]))|{_END})",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?<![0-9])([1-9])\s*번(?!\s*(?:째|의|씩|만|\s*더))")
_LETTERED = re.compile(
    rf"(?<![A-Za-z])(?:([A-J]){_AND})?([A-J])\s*"
    r"(?:번|가\s*(?:정답|맞|옳|적절|가장)|이\s*(?:정답|맞|옳|적절)|입니다|이다|예요|이에요|를\s*(?:고|선택)|을\s*(?:고|선택)|라고\s*(?:생각|봅|판단)|로\s*(?:하|고르|선택|답))"
)
_LISTED = re.compile(rf"(?:보기|선택지)\s*{_MARK}\s*{_END}")
_ORDINAL = re.compile(r"(첫|두|세|네|다섯)\s*번째\s*(?:보기|선택지|항목|답)")
_ORDINALS = ("첫", "두", "세", "네", "다섯")
_ALONE = re.compile(r"\A\W*([1-9A-J])[)\]>.]?\s*(?:번|\n|\Z)", re.IGNORECASE)
_FIRST = re.compile(r"(?:\A|\n|[.!?]\s)\W*([1-9A-J])(?:번(?!째)|\s*[.,:)\]>])", re.IGNORECASE)
_DENIED = re.compile(rf"{_MARK}\s*번?\s*(?:은|는|이|가)?\s*(?:아니(?!라면|면)|아닙|틀|오답|정답이\s*아)")


def chosen_option(reply: str, choices: Sequence[str], marks: str = "numbers") -> int | None:
    r"""Index of the option a reply settles on, from 0; None when it settles on none or on several.

    Reads `3`, `두 번째 보기`, `3번`, `③`, `(3)`, `C`, full-width forms, `정답은 ③번입니다`, `**답: C**`, `\boxed{C}`, and a reply that is the
    text of exactly one option.

    Args:
      reply: What the model said; reasoning in tags is left out.
      choices: Texts of the options.
      marks: How the options were listed: `letters` or `numbers`. Listed by letters, a number that is an option's text is that text.
    """
    text = _plain(reply)
    exact = [index for index, choice in enumerate(choices) if _plain(choice) == text.rstrip(" .")]
    if len(exact) == 1 and (marks == "letters" or not text[:1].isdigit()):
        return exact[0]
    denied = set(_indices(_DENIED.findall(text), len(choices)))
    for pattern in (
        _ANSWER,
        _LETTERED if marks == "letters" else _NUMBERED,
        _NUMBERED,
        _LISTED,
        _ORDINAL,
        _ALONE,
        _FIRST,
    ):
        found = set(_indices(_marks(pattern, text), None)) - denied
        if any(index >= len(choices) for index in found):
            return None
        if found:
            return found.pop() if len(found) == 1 else None
    named = _named(text, choices)
    return named[0] if len(named) == 1 and not denied else None


def _marks(pattern: re.Pattern[str], text: str) -> Iterable[str]:
    """Every mark that the groups of a pattern found."""
    for match in pattern.finditer(text):
        for mark in filter(None, match.groups()):
            yield str(_ORDINALS.index(mark) + 1) if mark in _ORDINALS else mark


def _plain(text: str) -> str:
    text = _THINKING.sub("", text)
    for circled, number in _CIRCLED.items():
        text = text.replace(circled, number)
    return _DECORATION.sub("", unicodedata.normalize("NFKC", text)).strip()


def _named(text: str, choices: Sequence[str]) -> list[int]:
    """Options whose text the reply holds; one that is part of a longer one that is there does not count."""
    plain = [_plain(choice) for choice in choices]
    there = [index for index, choice in enumerate(plain) if choice and choice in text]
    return [
        index
        for index in there
        if not any(plain[index] != plain[other] and plain[index] in plain[other] for other in there)
    ]


def _indices(marks: Iterable[str], limit: int | None) -> Iterable[int]:
    for mark in marks:
        index = int(mark) - 1 if mark.isdigit() else "abcdefghij".index(mark.lower())
        if limit is None or index < limit:
            yield index
