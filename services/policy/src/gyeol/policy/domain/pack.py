"""A culture pack as one value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gyeol.policy.domain.mold import Mold, MoldSet, Probe
from gyeol.policy.domain.policy import AttackStrategy, Norm, Policy, Population, Prompt
from gyeol.policy.domain.statute import Institution, InstitutionName, LawName, Statute
from gyeol.policy.domain.taxonomy import Category, Domain, HarmType, Rubric
from gyeol.policy.errors import CategoryMissingError


@dataclass(frozen=True)
class Manifest:
    name: str
    version: str
    language: str
    title_ko: str
    title_en: str
    licence: str
    law_as_of: str
    review_by: str
    skeleton: bool


@dataclass(frozen=True)
class Question:
    """A multiple-choice question that shows whether a model still reads the language."""

    id: str
    category: str
    question: str
    choices: tuple[str, ...]
    answer: int
    """Index into `choices`, from 0."""


@dataclass(frozen=True)
class Marker:
    """Words of one kind that place a question in the culture: roles, places, services, documents, customs."""

    kind: str
    terms: tuple[str, ...]


@dataclass(frozen=True)
class Term:
    """A word of the day; past `expires` it is looked at again before it is used."""

    id: str
    term: str
    expires: str


@dataclass(frozen=True)
class EmpathyPrompt:
    """A moment that calls for feeling before advice, with one natural answer."""

    id: str
    situation: str
    """jeong, han, grief, condolence, ..."""
    text: str
    reply: str


@dataclass(frozen=True)
class Pack:
    manifest: Manifest
    digest: str
    """`sha256:<hex>` of the content; see `content_digest`."""
    domains: tuple[Domain, ...]
    molds: Mapping[str, MoldSet]
    """By category, like the next three."""
    probes: Mapping[str, tuple[Probe, ...]]
    policies: Mapping[str, Policy]
    rubrics: Mapping[str, tuple[Rubric, ...]]
    policy_digests: Mapping[str, str]
    statutes: Mapping[str, Statute]
    institutions: Mapping[str, Institution]
    populations: Mapping[str, Population]
    norms: Mapping[str, Norm]
    attacks: tuple[AttackStrategy, ...]
    prompt: Prompt
    terms: tuple[Term, ...]
    questions: tuple[Question, ...]
    empathy: tuple[EmpathyPrompt, ...]
    law_names: tuple[LawName, ...]
    institution_names: tuple[InstitutionName, ...]
    markers: tuple[Marker, ...]

    def categories(self) -> Iterator[Category]:
        for domain in self.domains:
            yield from domain.categories

    def types(self) -> Iterator[HarmType]:
        for category in self.categories():
            yield from category.types

    def policy(self, category: str) -> Policy:
        """Returns the policy of a category.

        Raises:
          CategoryMissingError: The pack has none.
        """
        if category not in self.policies:
            known = ", ".join(sorted(self.policies))
            raise CategoryMissingError(
                f"{self.manifest.name} has no policy for category {category!r}: use one of {known}"
            )
        return self.policies[category]

    def mold_set(self, category: str) -> MoldSet:
        """Returns the molds of a category.

        Raises:
          CategoryMissingError: The pack has none.
        """
        if category not in self.molds:
            known = ", ".join(sorted(self.molds))
            raise CategoryMissingError(
                f"{self.manifest.name} has no molds for category {category!r}: use one of {known}"
            )
        return self.molds[category]

    def deciding(self, mold: Mold) -> tuple[str, ...]:
        """Returns the slots of a mold by which its policy chooses what to say; none without a policy of its type."""
        policy = self.policies.get(mold.type.partition(".")[0])
        material = policy.types.get(mold.type) if policy else None
        return material.deciding(mold.id) if material else ()

    @cached_property
    def local_words(self) -> tuple[Marker, ...]:
        """The lexicon, and the names of laws, offices, groups and terms of the day."""
        laws = {name for statute in self.statutes.values() for name in (statute.name_ko, *statute.short_ko)}
        offices = {office.name_ko for office in self.institutions.values()}
        groups = {name for group in self.populations.values() for name in (group.preferred_ko, *group.terms_ko)}
        derived = {"law": laws | offices, "term": groups | {term.term for term in self.terms}}
        return (*self.markers, *(Marker(kind, tuple(sorted(words))) for kind, words in derived.items() if words))

    @cached_property
    def probes_by_id(self) -> Mapping[str, Probe]:
        return {probe.id: probe for probes in self.probes.values() for probe in probes}

    @cached_property
    def molds_by_id(self) -> Mapping[str, Mold]:
        return {mold.id: mold for group in self.molds.values() for mold in group.molds}


def content_digest(content: Any) -> str:
    """Returns `sha256:<hex>` of parsed content, whatever its key order, comments, line breaks or quoting were."""
    canonical = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(canonical.encode()).hexdigest()
