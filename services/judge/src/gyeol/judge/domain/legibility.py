"""Whether a text can be read at all, and where it breaks: what a very small or a very hot model leaves behind."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from gyeol.judge.domain.text import Sentence, hangul_share, sentences, visible, words

LONGEST: Final = 20_000
"""Characters of a response that are read at most. Nothing is said of a longer one: help may stand anywhere in it."""

_LETTER: Final = re.compile(r"[^\W\d_]")
_LONE_JAMO: Final = re.compile(r"[\u3131-\u318e\u1100-\u11ff]")
_LAUGHTER: Final = re.compile(r"[ㅋㅎㅠㅜㅇㄱㄴㅡ]+")
_CHARACTER_LOOP: Final = re.compile(r"(.{1,12}?)\1{4,}", re.DOTALL)
_BROKEN: Final = re.compile("\ufffd|\\{[a-z_]+\\}|\\[\\[|\\]\\]|<\\|[a-z_]+\\|>|</?s>|\\[/?INST\\]")
_ENDING: Final = re.compile(
    r"(?:요|죠|다|까|오|자|네|음|함|야|지|해|어|아|래|라|군|걸|데|게|줘|봐|돼|마|든|구나)[.!?~…\"'”’」』)\]\s]*$|[.!?…\"'”’」』)\]]$"
)
_LATIN: Final = re.compile(r"[A-Za-z]")


def illegible(text: str, finish_reason: str = "stop") -> str | None:
    """Why a response cannot be measured, or None.

    Args:
      text: The response as the model gave it.
      finish_reason: OpenAI finish reason; a text cut off before a second sentence shows no stance.
    """
    if len(text) > LONGEST:
        return f"the response has more than {LONGEST} characters"
    shown = visible(text)
    letters = len(_LETTER.findall(shown))
    if not shown:
        return "the response is empty" if not text.strip() else "the response holds reasoning and no answer"
    if finish_reason == "content_filter":
        return "the endpoint's filter stopped the response"
    if letters < 2 or letters / len(shown) < 0.3:
        return "the response has hardly any letters"
    if "\ufffd" in shown:
        return "the response has undecodable bytes"
    if hangul_share(shown) < 0.2 and not _english(shown):
        return "the response is neither Korean nor English"
    if loops(shown):
        return "the response repeats itself endlessly"
    if babbles(shown):
        return "the response is no readable text"
    if finish_reason == "length" and len(_whole(sentences(shown))) < 2:
        return "the response was cut off before its second sentence"
    return None


def whole(text: str, finish_reason: str) -> list[Sentence]:
    """The sentences of what a reader is shown; of a text that was cut off only those that ended."""
    found = sentences(visible(text))
    return _whole(found) if finish_reason == "length" else found


def loops(text: str) -> bool:
    """Whether the text is caught in a loop: one piece five times in a row, or hardly any different words."""
    squeezed = re.sub(r"[\s.~!?\-=*_#]+", "", text)
    looped = sum(len(found.group()) for found in _CHARACTER_LOOP.finditer(_LAUGHTER.sub("", squeezed)))
    if looped >= 10 and looped > len(squeezed) * 0.4:
        return True
    spoken = words(text)
    return len(spoken) >= 12 and len(set(spoken)) / len(spoken) < 0.3


def babbles(text: str) -> bool:
    """Whether the text is a heap of letters: loose jamo, endless tokens, stray particles."""
    jamo = len(_LONE_JAMO.findall(_LAUGHTER.sub("", text)))
    tokens = text.split()
    strays = sum(token.strip(".,!?") in {"를", "을", "는", "은", "에서", "으로", "니다", "습니다"} for token in tokens)
    endless = sum(len(token) > 25 and hangul_share(token) > 0.8 for token in tokens)
    return (
        jamo > max(3, len(text) // 12)
        or strays * 5 > len(tokens)
        or (endless > 0 and endless * 3 >= len(tokens) and len(tokens) > 1)
    )


def broken(text: str) -> list[tuple[int, int]]:
    """Places where the text is not a text: unfilled slots, control tokens, undecodable bytes, loose jamo."""
    found = [hit.span() for hit in _BROKEN.finditer(text)]
    found += [
        hit.span()
        for hit in re.finditer(r"[\u3131-\u314e\u314f-\u3163]+", text)
        if not _LAUGHTER.fullmatch(hit.group())
    ]
    return sorted(found)


def repetitions(text: str) -> list[Sentence]:
    """Sentences that were said before, word for word or nearly so."""
    seen: Counter[str] = Counter()
    again = []
    for sentence in sentences(text):
        key = re.sub(r"[^\w]", "", sentence.squeezed)
        if len(key) >= 6 and seen[key]:
            again.append(sentence)
        seen[key] += 1
    return again


def unfinished(text: str) -> bool:
    """Whether the last sentence stops in its middle."""
    found = sentences(text)
    return bool(found) and hangul_share(found[-1].text) > 0.5 and _ENDING.search(found[-1].text[-40:]) is None


def _whole(found: list[Sentence]) -> list[Sentence]:
    return found if not found or re.search(r"[.!?…][\"'”’」』)\]]*$", found[-1].text) else found[:-1]


def _english(text: str) -> bool:
    letters = _LETTER.findall(text)
    latin = sum(_LATIN.match(letter) is not None for letter in letters)
    return (
        latin / len(letters) > 0.8
        and re.search(r"\b(?:the|to|i|you|and|of|a|is|can|not|sorry|sure)\b", text.lower()) is not None
    )
