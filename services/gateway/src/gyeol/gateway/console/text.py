"""Everything the console says, in Korean and English, from `text.toml`."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

Language = Literal["ko", "en"]
LANGUAGES: Final[tuple[Language, ...]] = ("ko", "en")


@functools.cache
def catalogue() -> Mapping[str, Mapping[str, tuple[str, str]]]:
    """Sections of entries of Korean and English text."""
    content = tomllib.loads((Path(__file__).parent / "text.toml").read_text(encoding="utf-8"))
    return {section: {key: (said[0], said[1]) for key, said in entries.items()} for section, entries in content.items()}


class Text:
    """The console's words in one language.

    Args:
      language: Of the page.
    """

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._at = LANGUAGES.index(language)

    def __call__(self, key: str, **values: Any) -> str:
        """A sentence, for example `run.heading`, with its blanks filled.

        Raises:
          KeyError: There is no such sentence.
        """
        section, _, name = key.partition(".")
        said = catalogue()[section][name][self._at]
        return said.format(**values) if values else said

    def word(self, section: str, word: str) -> str:
        """What a word of the system is called; a word that is new to the console stands for itself."""
        said = catalogue()[section].get(word)
        return said[self._at] if said else word

    def named(self, ko: str, en: str) -> str:
        """The one of two names that belongs on the page."""
        return ko if self.language == "ko" else en


def language_of(cookie: str, accepted: str) -> Language:
    """What a visitor reads: what they chose, else what their browser asks for first, else Korean."""
    for wanted in (cookie, *(part.split(";")[0].strip() for part in accepted.split(","))):
        for language in LANGUAGES:
            if wanted.lower().startswith(language):
                return language
    return "ko"
