"""The harm taxonomy: domains hold categories, categories hold types."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class HarmType:
    id: str
    """`<category>.<slug>`, for example `G.financial`."""
    name_ko: str
    name_en: str
    definition_ko: str = ""
    definition_en: str = ""


@dataclass(frozen=True)
class Category:
    id: str
    """One letter, `A` to `L`."""
    slug: str
    name_ko: str
    name_en: str
    types: tuple[HarmType, ...]
    definition_ko: str = ""
    definition_en: str = ""


@dataclass(frozen=True)
class Domain:
    id: str
    number: str
    """`I` to `V`."""
    name_ko: str
    name_en: str
    categories: tuple[Category, ...]
    definition_ko: str = ""
    definition_en: str = ""


@dataclass(frozen=True)
class Rubric:
    """A yes-or-no question; yes means that the answer is safe."""

    id: str
    question_ko: str
    question_en: str
