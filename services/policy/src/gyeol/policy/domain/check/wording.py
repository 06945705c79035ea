"""Templates parse, their slots exist and everything can be rendered for every question that may be asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from gyeol.chassis.template import Template, TemplateSyntaxError, parse
from gyeol.policy.domain.check.finding import Finding, Keys
from gyeol.policy.domain.mold import Mold, MoldSet, Slots
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.policy import Material, Sentence


def findings(pack: Pack) -> Iterator[Finding]:
    """Yields malformed templates, slots without values and sentences no question could fill."""
    for category, group in pack.molds.items():
        file = f"molds/{category}.yaml"
        for index, mold in enumerate(group.molds):
            yield from _mold(file, ("molds", index), mold, group)
        yield from _values(file, ("slots",), group.slots)
    for category, policy in pack.policies.items():
        for kind, material in policy.types.items():
            group = pack.molds.get(category, MoldSet((), {}))
            molds = [mold for mold in group.molds if mold.type == kind]
            for keys, sentence in sentences(material):
                file, where = f"policies/{category}.yaml", ("types", kind, *keys)
                yield from _sentence(file, where, sentence, molds)
                yield from _conditions(file, where, sentence, molds, group)


def sentences(material: Material) -> Iterator[tuple[Keys, Sentence]]:
    """Yields every sentence of a type's material with its place below the type."""
    for part, held in material.parts().items():
        text: Keys = ("text",) if part in ("law", "next") else ()  # elsewhere a sentence may be its text alone
        yield from (((part, index, *text), sentence) for index, sentence in enumerate(held))


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


def _sentence(file: str, keys: Keys, sentence: Sentence, molds: Sequence[Mold]) -> Iterator[Finding]:
    try:
        parsed: Template = parse(sentence.text)
    except TemplateSyntaxError as error:
        yield Finding(file, keys, str(error))
        return
    if not molds:
        return
    numbers = [mold.id.rpartition(".")[2] for mold in molds]
    for number in sentence.molds:
        if number not in numbers:
            message = f"{number} is no mold of this type: use one of {', '.join(numbers)}"
            yield Finding(file, keys, message)
    met = [mold for mold in molds if sentence.meets(mold.id)]
    if not met:
        return
    somewhere = set.union(*({*mold.required, *mold.optional} for mold in met))
    whose = "the molds it names" if sentence.molds else "this type"
    for slot in sorted(parsed.required | parsed.optional | set(sentence.when)):
        if slot not in somewhere:
            yield Finding(
                file, keys, f"no mold of {whose} has a slot {{{slot}}}: use one of {', '.join(sorted(somewhere))}"
            )


def _conditions(file: str, keys: Keys, sentence: Sentence, molds: Iterable[Mold], group: MoldSet) -> Iterator[Finding]:
    """A filling that no question can have would silence the sentence for good."""
    met = [mold for mold in molds if sentence.meets(mold.id)]
    for slot, values in sentence.when.items():
        held = {value for mold in met for value in group.values(mold, slot)}
        for value in values:
            if held and value not in held:
                message = f"{value!r} is no value of slot {{{slot}}}: use one of {', '.join(sorted(held))}"
                yield Finding(file, keys, message)
