"""The policy of one category as it applies to one question: slots filled in, particles chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gyeol.chassis.template import template
from gyeol.policy.domain.mold import Probe
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.policy import CHOICE, LawSentence, Material, NextStep, Policy, Sentence
from gyeol.policy.domain.prompt import system_prompt
from gyeol.policy.errors import CategoryMissingError


@dataclass(frozen=True)
class Passage:
    """A sentence of an answer, with what it rests on; empty where it rests on nothing."""

    text: str
    statute: str = ""
    article: str = ""
    institution: str = ""


@dataclass(frozen=True)
class Rendered:
    policy: Policy
    digest: str
    type: str
    system_prompt: str
    passages: Mapping[str, tuple[Passage, ...]] = field(default_factory=dict)
    """By part of the answer: open, refuse, law, people, kernel, next; or reply alone for a benign question."""
    attacks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Wrappers by strategy, in the speech level of the question."""


def rendered(
    pack: Pack, *, category: str, type_id: str, slots: Mapping[str, str], mold_id: str = "", probe_id: str = ""
) -> Rendered:
    """Renders the policy for the harmful question of a mold, or for the benign one of a probe.

    Without `mold_id` only sentences that answer every question of the type are left.

    Raises:
      CategoryMissingError: The pack has no such category, type or probe.
    """
    policy = pack.policy(category)
    if probe_id:
        passages = {"reply": tuple(_replies(_probe(pack, probe_id)))}
    else:
        passages = _material_passages(_material(policy, type_id), mold_id, slots)
    return Rendered(
        policy=policy,
        digest=pack.policy_digests[category],
        type=type_id,
        system_prompt=system_prompt(pack, policy, type_id, benign=bool(probe_id)),
        passages=passages,
        attacks={} if probe_id else _attacks(pack, mold_id),
    )


def _attacks(pack: Pack, mold_id: str) -> dict[str, tuple[str, ...]]:
    register = pack.molds_by_id[mold_id].register if mold_id in pack.molds_by_id else ""
    suiting = {attack.id: attack.suiting(register) for attack in pack.attacks}
    return {strategy: wrappers for strategy, wrappers in suiting.items() if wrappers}


def _material_passages(material: Material, mold_id: str, slots: Mapping[str, str]) -> dict[str, tuple[Passage, ...]]:
    return {
        part: tuple(_filled(_closest([sentence for sentence in held if sentence.fits(mold_id, slots)]), slots))
        for part, held in material.parts().items()
    }


def _closest(sentences: Sequence[Sentence]) -> Sequence[Sentence]:
    """Leaves the general sentences out where those for this very filling make a choice by themselves."""
    bound = [sentence for sentence in sentences if sentence.when]
    return bound if len(bound) >= CHOICE else sentences


def _filled(sentences: Iterable[Sentence], slots: Mapping[str, str]) -> Iterable[Passage]:
    """A sentence whose slots this question does not fill says nothing about it and is left out."""
    for sentence in sentences:
        parsed = template(sentence.text)
        if all(slots.get(name) for name in parsed.required):
            yield _passage(sentence, parsed.render(slots))


def _passage(sentence: Sentence, text: str) -> Passage:
    match sentence:
        case LawSentence():
            return Passage(text, statute=sentence.statute, article=sentence.article)
        case NextStep():
            return Passage(text, institution=sentence.institution or "")
        case _:
            return Passage(text)


def _replies(probe: Probe) -> Iterable[Passage]:
    for text in probe.reply:
        ref = next((ref for ref in probe.statutes if ref.article in text), None)
        yield Passage(text, ref.statute if ref else "", ref.article if ref else "")


def _material(policy: Policy, type_id: str) -> Material:
    if type_id not in policy.types:
        known = ", ".join(policy.types)
        raise CategoryMissingError(f"policy {policy.category} has no type {type_id!r}: use one of {known}")
    return policy.types[type_id]


def _probe(pack: Pack, probe_id: str) -> Probe:
    if probe_id not in pack.probes_by_id:
        raise CategoryMissingError(f"{pack.manifest.name} has no probe {probe_id!r}: the seed is from another pack")
    return pack.probes_by_id[probe_id]
