"""Templates parse, their slots exist and everything can be rendered for every question that may be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gyeol.chassis.template import Template, TemplateSyntaxError, parse
from gyeol.policy.domain.check.finding import Finding, Keys
from gyeol.policy.domain.mold import Mold, MoldSet, Slots
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.policy import Material


def findings(pack: Pack) -> Iterator[Finding]:
    """Yields malformed templates, slots without values and sentences no question could fill."""
    for category, group in pack.molds.items():
        file = f"molds/{category}.yaml"
        for index, mold in enumerate(group.molds):
            yield from _mold(file, ("molds", index), mold, group)
        yield from _values(file, ("slots",), group.slots)
    for category, policy in pack.policies.items():
        for kind, material in policy.types.items():
            molds = [mold for mold in pack.molds.get(category, MoldSet((), {})).molds if mold.type == kind]
            for keys, text in sentences(material):
                yield from _sentence(f"policies/{category}.yaml", ("types", kind, *keys), text, molds)


def sentences(material: Material) -> Iterator[tuple[Keys, str]]:
    """Yields every sentence of a type's material with its place below the type."""
    for part in ("open", "refuse", "people", "kernel"):
        for index, text in enumerate(getattr(material, part)):
            yield (part, index), text
    for index, law in enumerate(material.law):
        yield ("law", index, "text"), law.text
    for index, step in enumerate(material.next):
        yield ("next", index, "text"), step.text


def _mold(file: str, keys: Keys, mold: Mold, group: MoldSet) -> Iterator[Finding]:
    try:
        parsed = parse(mold.text)
    except TemplateSyntaxError as error:
        yield Finding(file, (*keys, "text"), str(error))
        return
    for field, declared, used in (
        ("required", mold.required, parsed.required),
        ("optional", mold.optional, parsed.optional),
    ):
        if set(declared) != used:
            text = ", ".join(sorted(used)) or "none"
            yield Finding(file, (*keys, field), f"the text's {field} slots are [{text}]: list exactly these")
    for slot in (*mold.required, *mold.optional):
        if not group.values(mold, slot):
            yield Finding(file, (*keys, "text"), f"slot {{{slot}}} has no values here or under `slots`: give some")
    for slot in mold.slots:
        if slot not in (*mold.required, *mold.optional):
            yield Finding(file, (*keys, "slots", slot), "the mold does not use this slot", severe=False)
    yield from _values(file, (*keys, "slots"), mold.slots)


def _values(file: str, keys: Keys, slots: Slots) -> Iterator[Finding]:
    for slot, values in slots.items():
        for index, value in enumerate(values):
            if any(sign in value for sign in "{}[]"):
                yield Finding(file, (*keys, slot, index), "a slot value is plain text: remove the braces or brackets")


def _sentence(file: str, keys: Keys, text: str, molds: Iterable[Mold]) -> Iterator[Finding]:
    try:
        parsed: Template = parse(text)
    except TemplateSyntaxError as error:
        yield Finding(file, keys, str(error))
        return
    molds = list(molds)
    if not molds:
        return
    everywhere = set.intersection(*(set(mold.required) for mold in molds))
    somewhere = set.union(*({*mold.required, *mold.optional} for mold in molds))
    for slot in sorted(parsed.required | parsed.optional):
        if slot not in somewhere:
            yield Finding(
                file, keys, f"no mold of this type has a slot {{{slot}}}: use one of {', '.join(sorted(somewhere))}"
            )
        elif slot in parsed.required and slot not in everywhere:
            yield Finding(file, keys, f"slot {{{slot}}} is not in every mold of this type: put the clause into [[ ]]")
