"""Text as it is stored: what a reader is shown, in NFC."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_TAGS: Final = "think|thinking|reasoning|thought"
_THOUGHT: Final = re.compile(rf"<({_TAGS})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_OPEN: Final = re.compile(rf"\A.*?</(?:{_TAGS})>", re.DOTALL | re.IGNORECASE)
_CUT: Final = re.compile(rf"<(?:{_TAGS})>.*\Z", re.DOTALL | re.IGNORECASE)


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def visible(text: str) -> str:
    """A model's answer without the reasoning that it leaves between tags."""
    return _CUT.sub("", _OPEN.sub("", _THOUGHT.sub("", text))).strip()
