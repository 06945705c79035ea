"""Whether a reply is Korean: at least a third of its letters are Hangul, code left out."""

from __future__ import annotations

import re

SHARE = 1 / 3
"""Korean technical prose keeps many Latin terms; a reply in another language has hardly any Hangul."""
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`]*`", re.DOTALL)


def hangul_share(text: str) -> float:
    """Hangul letters over all letters, 0 to 1; 1 when there is no letter at all, as in a bare number."""
    letters = [character for character in _CODE.sub("", text) if character.isalpha()]
    if not letters:
        return 1.0
    return sum("가" <= character <= "힣" or "ㄱ" <= character <= "ㆎ" for character in letters) / len(letters)


def is_korean(text: str) -> bool:
    return hangul_share(text) >= SHARE
