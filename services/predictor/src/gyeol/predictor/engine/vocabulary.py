"""Tokens and their texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from tokenizers.decoders import DecodeStream

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Vocabulary:
    """The tokens of one model.

    Args:
      tokenizer: Its tokenizer.
      ends: Tokens that end a text.
      size: Tokens are numbers from 0 up to it.
    """

    def __init__(self, tokenizer: Tokenizer, ends: frozenset[int], size: int) -> None:
        tokenizer.no_truncation()
        tokenizer.no_padding()
        self._tokenizer = tokenizer
        self._bytes = _byte_by_letter()
        self.ends = ends
        self.size = size
        self.token_text: Callable[[int], str] = lru_cache(maxsize=65536)(self._token_text)

    def tokens(self, text: str, *, special: bool) -> list[int]:
        """Tokens of a text; with `special` also those that the model wants around it."""
        return list(self._tokenizer.encode(text, add_special_tokens=special).ids)

    def text(self, tokens: Sequence[int], *, special: bool) -> str:
        """The text of tokens, with or without special ones."""
        return str(self._tokenizer.decode(list(tokens), skip_special_tokens=not special))

    def reader(self) -> Callable[[int], str]:
        """Takes a text's tokens one by one and gives its characters as soon as they are whole."""
        stream = DecodeStream(skip_special_tokens=True)
        return lambda token: stream.step(self._tokenizer, token) or ""

    def _token_text(self, token: int) -> str:
        """One token alone.

        Korean syllables are often split over tokens: a part of one is written as bytes, so that two of them stay two.
        """
        text = str(self._tokenizer.decode([token], skip_special_tokens=False))
        if "\ufffd" not in text:
            return text
        letters = self._tokenizer.id_to_token(token) or ""
        if letters.startswith("<0x"):
            return f"bytes:\\x{letters[3:5].lower()}"
        if all(letter in self._bytes for letter in letters):
            return "bytes:" + "".join(f"\\x{self._bytes[letter]:02x}" for letter in letters)
        return text


def _byte_by_letter() -> dict[str, int]:
    """The alphabet in which byte-level BPE writes bytes: printable Latin-1 is itself, the rest follows from U+0100 on."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in plain]
    return {chr(byte): byte for byte in plain} | {chr(256 + place): byte for place, byte in enumerate(rest)}
