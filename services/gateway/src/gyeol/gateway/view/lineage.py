"""Lineage, law and packs."""

from __future__ import annotations

from gyeol.gateway.view.document import View
from gyeol.gateway.view.record import Citation


class Node(View):
    """Something that was made, with what it was made from or what was made from it."""

    kind: str
    """`run`, `model`, `dataset`, `triplet`, `seed`, `policy`, `statute`, `evaluation`, `gate-verdict`, `promotion`, `unknown`."""
    id: str
    title: str
    facts: dict[str, str]
    children: tuple[Node, ...]
    left_out: int
    """Children that exist and are not shown."""


class Institution(View):
    """An institution named in a text."""

    text: str
    institution: str
    verdict: str
    reason: str
    suggestion: str


class LawReport(View):
    """Every statute and institution that a text names."""

    citations: tuple[Citation, ...]
    institutions: tuple[Institution, ...]


class LawQuestion(View):
    text: str
    """Text to check; at most 20,000 characters."""
    on: str = ""
    """Date, YYYY-MM-DD; empty: today."""
    culture: str = ""
    """Culture pack; empty: the first one."""


class HarmType(View):
    id: str
    name_ko: str
    name_en: str


class Category(View):
    id: str
    name_ko: str
    name_en: str
    types: tuple[HarmType, ...]


class Domain(View):
    number: str
    name_ko: str
    name_en: str
    categories: tuple[Category, ...]


class Pack(View):
    name: str
    version: str
    digest: str
    language: str
    law_as_of: str
    skeleton: bool
    """Shape without substance: it can be read, but no run may rest on it."""
    domains: tuple[Domain, ...]


class Health(View):
    status: str
    """`ok`, or `degraded` when a service does not answer."""
    services: dict[str, str]
    """`serving`, `not-serving` or `away`."""


class Person(View):
    name: str
    role: str
