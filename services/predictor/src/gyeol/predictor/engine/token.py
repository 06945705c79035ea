"""How a token is written in answers about probabilities."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


class TokenTexts:
    """Texts of tokens, one by one.

    Korean syllables are often split over byte tokens: those are written as bytes, so that two of them stay two.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer
        self._bytes = _byte_of_letter()
        self.of = lru_cache(maxsize=65536)(self._of)

    def _of(self, token: int) -> str:
        text = str(self._tokenizer.decode([token], skip_special_tokens=False))
        if "\ufffd" not in text:
            return text
        letters = self._tokenizer.id_to_token(token) or ""
        if all(letter in self._bytes for letter in letters):
            raw = bytes(self._bytes[letter] for letter in letters)
        elif letters.startswith("<0x"):
            raw = bytes([int(letters[3:5], 16)])
        else:
            return text
        return "bytes:" + "".join(f"\\x{byte:02x}" for byte in raw)


def _byte_of_letter() -> dict[str, int]:
    """The alphabet in which byte-level BPE writes bytes: printable Latin-1 stands for itself, the rest from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + place): byte for place, byte in enumerate(rest)}
