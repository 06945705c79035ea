"""What may not stand in a slot, although a model wrote it.

The mold fixes the harm and the pack's values show what a slot is for; a model may vary that, and nothing else.
Each rule lets every value of the pack pass, in its own slot.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gyeol.chassis.template import Particle, Slot, template
from gyeol.seed.domain.stock import Mold

Markers = Mapping[str, frozenset[str]]

LONGEST: Final = 24
"""Characters of a value; the longest of the Korean pack has 16."""

_MOST_DIGITS: Final = re.compile(r"\d(?:\s?\d){4}")
_AMOUNT: Final = re.compile(
    r"\d\s?(?:mg|kg|g|ml|l|cc|밀리|그램|그람|킬로|리터|도|볼트|퍼센트|프로|초|번째|단계)", re.IGNORECASE
)
_ARTICLE: Final = re.compile(r"제\s?\d+\s?조")
_PROCEDURE: Final = re.compile(
    r"그다음|다음으로|순서대로|단계별|섞어|섞으|섞는|녹이|녹여|끓이|끓여|가열|주입|조립|혼합|설정에서|접속해|입력해|실행해|복사해|붙여\s?넣|클릭"
    r"|명령어|(?:한|하고|은)\s?(?:뒤|다음|후)에?(?:\s|$)|하고\s?나서|하면서"
)
_SENTENCE: Final = re.compile(
    r"(?:니다|니까|세요|해요|어요|아요|예요|에요|나요|까요|네요|군요|하라|해라|했다|한다|된다|이다|하자|해\s?줘|해\s?주)$"
    r"|(?:하|으)면(?:\s|$)|려면(?:\s|$)"
)
_ALWAYS_PARTICLES: Final = ("를", "에게서", "한테서", "에게", "한테", "께서", "에서", "으로부터", "으로써", "으로서")
_PARTICLES: Final = (
    "은",
    "는",
    "이",
    "가",
    "을",
    "과",
    "와",
    "의",
    "도",
    "만",
    "로",
    "으로",
    "에",
    "까지",
    "부터",
    "이랑",
    "랑",
    "하고",
)
_COMMON_SCRIPTS: Final = frozenset({"LATIN", "DIGIT"})


def fault(mold: Mold, filling: Mapping[str, Any], markers: Markers) -> str:
    """Why a mold may not be filled like this; empty when it may.

    It names the slot and the rule and never quotes the value, for it is counted and logged.

    Args:
      mold: The mold, with the pack's values.
      filling: What the model wrote.
      markers: Words that place a question in the culture.
    """
    slots = {*mold.required, *mold.optional}
    if unknown := filling.keys() - slots:
        return f"{len(unknown)} slots are not the mold's"
    if missing := [slot for slot in mold.required if slot not in filling]:
        return f"slot {missing[0]} is missing"
    faults = ((slot, _fault(mold, slot, value, markers)) for slot, value in filling.items())
    return next((f"slot {slot} {why}" for slot, why in faults if why), "")


def _fault(mold: Mold, slot: str, value: Any, markers: Markers) -> str:
    if not isinstance(value, str):
        return "is no text"
    if value in mold.values[slot]:
        return ""
    if why := _form(value, mold.values[slot]):
        return why
    if slot in mold.deciding:
        return "takes no other value than the pack's: the answer depends on it"
    return _wording(value, mold.values[slot]) or _place(mold, slot, value, markers)


def _form(value: str, values: Iterable[str]) -> str:
    """Faults that show without reading."""
    if value != unicodedata.normalize("NFC", value):
        return "is not NFC"
    if not value.strip():
        return "is empty"
    if len(value) > LONGEST:
        return f"has more than {LONGEST} characters"
    if value != " ".join(value.split()) or "\n" in value:
        return "has line breaks or superfluous spaces"
    if not all(sign.isalnum() or sign == " " for sign in value):
        return "holds more than letters, digits and spaces"
    if not _scripts(value) <= _COMMON_SCRIPTS | _scripts("".join(values)):
        return "is written in another script than the pack's values"
    if not _scripts(value) - _COMMON_SCRIPTS:
        return "has no word in the culture's own script"
    return ""


def _wording(value: str, values: Iterable[str]) -> str:
    """Faults of what is said: a value names somebody or something, and tells neither how nor how much.

    Where the pack's own values are claims, a value may be one.
    """
    if _MOST_DIGITS.search(value):
        return "holds a number that may be somebody's"
    if _ARTICLE.search(value):
        return "cites an article"
    if _AMOUNT.search(value) or _PROCEDURE.search(value):
        return "tells how or how much"
    if _SENTENCE.search(value) and not any(own.endswith("다") or _SENTENCE.search(own) for own in values):
        return "is a sentence"
    return ""


def _place(mold: Mold, slot: str, value: str, markers: Markers) -> str:
    """Faults of the value in this slot."""
    local = {word for own in mold.values[slot] for word in own.split()}.union(*markers.values())
    if _particle(value, local) and (_before_particle(mold, slot) or value.endswith(_ALWAYS_PARTICLES)):
        return "carries a particle"
    if not any(word in (value if len(word) > 1 else value.split()) for word in local):
        return "holds no word of the pack"
    return ""


def _particle(value: str, known: set[str]) -> bool:
    """Whether the last word ends in a particle: one that no noun ends in, or one after a word that is known."""
    last = value.split()[-1]
    if last in known:
        return False
    return any(last.endswith(particle) for particle in _ALWAYS_PARTICLES if last != particle) or any(
        last.removesuffix(particle) in known for particle in _PARTICLES if last.endswith(particle)
    )


def _before_particle(mold: Mold, slot: str) -> bool:
    parts = [
        inner
        for part in template(mold.text).parts
        for inner in (part.parts if not isinstance(part, str | Slot | Particle) else (part,))
    ]
    return any(
        isinstance(here, Slot) and here.name == slot and isinstance(after, Particle)
        for here, after in itertools.pairwise(parts)
    )


def _scripts(text: str) -> frozenset[str]:
    """First words of the characters' Unicode names: HANGUL, LATIN, DIGIT, CJK, HIRAGANA, ..."""
    return frozenset(unicodedata.name(sign, "UNNAMED").partition(" ")[0] for sign in text if not sign.isspace())
