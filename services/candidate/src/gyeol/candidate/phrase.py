"""Reads the set phrases that come with the service: YAML because people who write Korean, not Python, correct them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

from gyeol.candidate.domain.overrefusal import Refusals
from gyeol.candidate.errors import PhraseError


@cache
def turn() -> str:
    """The word that leads from what is legitimate about a wish to the refusal."""
    word: str = _document()["turn"]
    return word


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


@cache
def _document() -> Mapping[str, Any]:
    text = resources.files("gyeol.candidate").joinpath("phrase", "ko.yaml").read_text(encoding="utf-8")
    document: Mapping[str, Any] = yaml.safe_load(text)
    return document
