"""Whether there is enough of everything, type by type."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from gyeol.chassis.template import template
from gyeol.policy.domain.check.finding import Finding
from gyeol.policy.domain.mold import Mold, MoldSet
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.policy import CHOICE, Material

LEAST_MOLDS: Final = 6
LEAST_PROBES: Final = 5
LEAST_RUBRICS: Final = 3
LEAST_FILLINGS: Final = 20_000
LEAST_FITTING: Final = CHOICE
"""Sentences of every part that each mold has left, whatever fills its slots."""
LEAST_SENTENCES: Final = {"open": 3, "refuse": 4, "law": 2, "people": 2, "kernel": 3, "next": 4}


@dataclass(frozen=True)
class Coverage:
    """What the pack has for one type of harm."""

    type: str
    name_ko: str
    molds: int
    fillings: int
    """Different questions the molds can ask."""
    probes: int
    sentences: int
    """Sentences of answers in the policy; 0: the policy does not speak of the type."""
    rubrics: int
    """Of the type's category."""


def coverage(pack: Pack) -> list[Coverage]:
    """Returns one row for each type, in the order of the taxonomy."""
    rows: list[Coverage] = []
    for category in pack.categories():
        group = pack.molds.get(category.id, MoldSet((), {}))
        policy = pack.policies.get(category.id)
        for kind in category.types:
            molds = [mold for mold in group.molds if mold.type == kind.id]
            material = policy.types.get(kind.id) if policy else None
            rows.append(
                Coverage(
                    type=kind.id,
                    name_ko=kind.name_ko,
                    molds=len(molds),
                    fillings=sum(fillings(group, mold) for mold in molds),
                    probes=sum(probe.type == kind.id for probe in pack.probes.get(category.id, ())),
                    sentences=sum(_lengths(material).values()) if material else 0,
                    rubrics=len(pack.rubrics.get(category.id, ())),
                )
            )
    return rows


def fillings(group: MoldSet, mold: Mold) -> int:
    """Returns in how many ways a mold can be filled, with and without its optional slots."""
    required = math.prod(len(group.values(mold, slot)) for slot in mold.required)
    return required * math.prod(len(group.values(mold, slot)) + 1 for slot in mold.optional)


def findings(pack: Pack) -> Iterator[Finding]:
    """Yields what is missing; in a skeleton nothing of it is severe."""
    severe = not pack.manifest.skeleton
    for row in coverage(pack):
        letter = row.type.partition(".")[0]
        for file, count, least, noun in (
            (f"molds/{letter}.yaml", row.molds, LEAST_MOLDS, "molds"),
            (f"probes/{letter}.yaml", row.probes, LEAST_PROBES, "probes"),
        ):
            if count < least:
                yield Finding(file, (), f"{row.type} has {count} {noun}: write at least {least}", severe=severe)
        policy = pack.policies.get(letter)
        if policy is None or row.type not in policy.types:
            message = f"says nothing about {row.type}: add its sentences under types"
            yield Finding(f"policies/{letter}.yaml", (), message, severe=severe)
        else:
            for part, count in _lengths(policy.types[row.type]).items():
                if count < LEAST_SENTENCES[part]:
                    message = f"has {count} sentences: write at least {LEAST_SENTENCES[part]}"
                    yield Finding(f"policies/{letter}.yaml", ("types", row.type, part), message, severe=severe)
            yield from _fitting(pack, letter, row.type, severe=severe)
        if row.rubrics < LEAST_RUBRICS:
            message = f"category {letter} has {row.rubrics} rubrics: write at least {LEAST_RUBRICS}"
            yield Finding("rubrics.yaml", (letter,), message, severe=severe)
    total = sum(row.fillings for row in coverage(pack))
    if total < LEAST_FILLINGS:
        message = f"the molds can ask {total} different questions: add molds or slot values up to {LEAST_FILLINGS}"
        yield Finding("taxonomy.yaml", (), message, severe=severe)
    for index, question in enumerate(pack.questions):
        if question.answer >= len(question.choices):
            message = f"answer {question.answer} is none of {len(question.choices)} choices: count from 0"
            yield Finding("mcq.jsonl", (index,), message)


def _fitting(pack: Pack, letter: str, kind: str, *, severe: bool) -> Iterator[Finding]:
    """Counts what each mold has left in its least lucky filling."""
    group = pack.molds.get(letter, MoldSet((), {}))
    molds = [mold for mold in group.molds if mold.type == kind]
    for part, held in pack.policies[letter].types[kind].parts().items():
        for mold in molds:
            met = [sentence for sentence in held if sentence.meets(mold.id)]
            needed = [template(sentence.text).required - set(mold.required) for sentence in met]
            asked = sorted({slot for sentence in met for slot in sentence.when}.union(*needed))
            fewest = min(
                sum(
                    sentence.fits(mold.id, slots) and all(slots[slot] for slot in names)
                    for sentence, names in zip(met, needed, strict=True)
                )
                for slots in _fillings(group, mold, asked)
            )
            if fewest < LEAST_FITTING:
                message = f"leaves {mold.id} {fewest} sentences: write at least {LEAST_FITTING} that answer it"
                yield Finding(f"policies/{letter}.yaml", ("types", kind, part), message, severe=severe)


def _fillings(group: MoldSet, mold: Mold, slots: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yields every filling of some slots, those that the mold does not ask for left empty."""
    for values in itertools.product(*(_values(group, mold, slot) for slot in slots)):
        yield dict(zip(slots, values, strict=True))


def _values(group: MoldSet, mold: Mold, slot: str) -> tuple[str, ...]:
    if slot in mold.required:
        return group.values(mold, slot)
    return (*group.values(mold, slot), "") if slot in mold.optional else ("",)


def _lengths(material: Material) -> dict[str, int]:
    return {part: len(held) for part, held in material.parts().items()}
