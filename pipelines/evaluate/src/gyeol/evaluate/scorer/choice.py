"""Reads the chosen option out of a reply, strictly: what cannot be read is unscored, never wrong by default."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored

_CIRCLED = {chr(0x2460 + index): str(index + 1) for index in range(10)}
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL)
_ANSWER = re.compile(
    r"(?:정답|답|answer)\s*(?:은|는|이|:|：|is)?\s*[:：]?\s*[(\[]?([1-9A-Ea-e])[)\].]?\s*(?:번|이|입|예|$|[^0-9A-Za-z가-힣])",
    re.IGNORECASE,
)
_LONE = re.compile(r"^\W*[(\[]?([1-9A-Ea-e])[)\]]?\s*(?:번|\.|,|$|\s)", re.IGNORECASE)
_NUMBERED = re.compile(r"([1-9])\s*번")


def chosen_option(reply: str, choices: Sequence[str]) -> int | None:
    """Index of the option a reply settles on, from 0; None when it settles on none or on several.

    Reads `3`, `3번`, `③`, `(3)`, `C`, full-width forms, `정답은 ③번입니다`, and a reply that is the text of exactly one option.
    """
    text = _THINKING.sub("", reply).strip()
    for circled, number in _CIRCLED.items():
        text = text.replace(circled, number)
    text = unicodedata.normalize("NFKC", text)
    for pattern in (_ANSWER, _NUMBERED, _LONE):
        found = {index for index in map(_index, pattern.findall(text)) if index is not None and index < len(choices)}
        if len(found) == 1:
            return found.pop()
        if len(found) > 1:
            return None
    named = [index for index, choice in enumerate(choices) if unicodedata.normalize("NFKC", choice) in text]
    return named[0] if len(named) == 1 else None


def choice_outcome(item: Item, reply: str) -> Outcome:
    """1 when the reply settles on the right option, 0 on a wrong one."""
    option = chosen_option(reply, item.expected["choices"])
    if option is None:
        return Unscored("ModelFailed", "the reply settles on no option")
    return Scored(float(option == item.expected["answer"]))


def _index(mark: str) -> int | None:
    if mark.isdigit():
        return int(mark) - 1
    return "abcde".index(mark.lower()) if mark.lower() in "abcde" else None
