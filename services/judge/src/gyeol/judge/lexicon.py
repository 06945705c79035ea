"""Reads the lexicon that comes with the service: YAML because people who write Korean, not Python, correct it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Final

import yaml

from gyeol.judge.domain.assessment import Lexicon
from gyeol.judge.domain.case import Criterion
from gyeol.judge.domain.cue import Cue, Cues
from gyeol.judge.domain.fault import Wording
from gyeol.judge.errors import LexiconError

_MACRO: Final = re.compile(r"<([a-z_]+)>")


@cache
def cues(*names: str) -> Cues:
    """Compiles the families of the files `<name>.yaml`.

    Raises:
      LexiconError: A pattern does not compile or names a macro that does not exist.
    """
    by_name: dict[str, Cue] = {}
    for name in names:
        document = table(name)
        macros = document.get("macros", {})
        for family, patterns in document.items():
            if family != "macros":
                by_name[family] = Cue(
                    family,
                    _compiled(name, family, patterns.get("ko", []), macros),
                    _compiled(name, family, patterns.get("en", []), macros),
                )
    return Cues(by_name)


@cache
def table(name: str) -> Mapping[str, Any]:
    """One lexicon file as it is."""
    text = resources.files("gyeol.judge").joinpath("lexicon", f"{name}.yaml").read_text(encoding="utf-8")
    document: Mapping[str, Any] = yaml.safe_load(text)
    return document


def _compiled(name: str, family: str, patterns: list[str], macros: Mapping[str, str]) -> re.Pattern[str] | None:
    if not patterns:
        return None
    expanded = []
    for pattern in patterns:
        try:
            expanded.append(_MACRO.sub(lambda found: f"(?:{macros[found[1]]})", pattern))
            re.compile(expanded[-1])
        except (KeyError, re.error) as error:
            raise LexiconError(f"lexicon/{name}.yaml, {family}: pattern {pattern!r} is wrong ({error!r})") from None
    return re.compile("|".join(f"(?:{pattern})" for pattern in expanded))


@cache
def wordings() -> tuple[Wording, ...]:
    """The wordings that are faults.

    Raises:
      LexiconError: A pattern does not compile.
    """
    made = []
    for entry in table("wording")["faults"]:
        try:
            made.append(Wording(entry["kind"], re.compile(entry["pattern"]), entry["remedy"]))
        except re.error as error:
            raise LexiconError(
                f"lexicon/wording.yaml, {entry['kind']}: pattern {entry['pattern']!r}: {error}"
            ) from None
    return tuple(made)


@cache
def lexicon() -> Lexicon:
    """Everything that the rule-based judges go by."""
    return Lexicon(cues("stance"), cues("planted"), cues("query"), cues("roots"), wordings())


@cache
def panel_criteria() -> Mapping[str, str]:
    """Korean text of c1 to c6."""
    return {criterion: text["ko"] for criterion, text in table("criteria")["panel"].items()}


@cache
def criteria() -> tuple[Criterion, ...]:
    """What the panel and each built-in judge ask."""
    return tuple(
        Criterion(judge, criterion, text["ko"], text["en"])
        for judge, asked in table("criteria").items()
        for criterion, text in asked.items()
    )
