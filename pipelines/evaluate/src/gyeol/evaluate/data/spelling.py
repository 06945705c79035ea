"""How names in public files are compared: by letters and digits, since case and separators differ between copies."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+")
_LINKS = frozenset({"and", "or", "the"})


def folded(text: str) -> str:
    """Letters and digits in lower case."""
    return "".join(character for character in text.casefold() if character.isalnum())


def alike(text: str) -> str:
    """Like `folded`, without linking words and the plural of English words: `Copyrights`, `Hate & Unfairness`."""
    words = (word for word in _WORD.findall(text.casefold()) if word not in _LINKS)
    return "".join(word.removesuffix("s") for word in words)
