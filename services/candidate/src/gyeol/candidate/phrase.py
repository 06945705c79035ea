"""Reads the set phrases that come with the service: YAML because people who write Korean, not Python, correct them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

from gyeol.candidate.domain.composition import Phrases
from gyeol.candidate.domain.overrefusal import Refusals
from gyeol.candidate.errors import PhraseError


@cache
def phrases() -> Phrases:
    """Set phrases around replies."""
    document = _document()
    return Phrases(
        openings=_lists(document, "openings"),
        closings=_lists(document, "closings"),
        greeted=tuple(document["greeted"]),
    )


@cache
def refusals() -> Mapping[str, Refusals]:
    """Needless refusals by register.

    Raises:
      PhraseError: A part of a refusal is missing.
    """
    try:
        return {
            register: Refusals(tuple(parts["openings"]), tuple(parts["bodies"]), tuple(parts["closings"]))
            for register, parts in _document()["refusals"].items()
        }
    except KeyError as error:
        raise PhraseError(f"phrase/ko.yaml, refusals: {error} is missing") from None


def _lists(document: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    return {register: tuple(lines) for register, lines in document[key].items()}


@cache
def _document() -> Mapping[str, Any]:
    text = resources.files("gyeol.candidate").joinpath("phrase", "ko.yaml").read_text(encoding="utf-8")
    document: Mapping[str, Any] = yaml.safe_load(text)
    return document
