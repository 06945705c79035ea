"""Everything that is written for the built-in writers passes the proofreading that answers of models have to pass."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from gyeol.candidate.phrase import refusals
from gyeol.chassis.template import template
from gyeol.judge.domain.proofreading import faults
from gyeol.judge.lexicon import wordings
from gyeol.policy.domain.mold import Mold
from gyeol.policy.domain.rendering import rendered
from support.culture import korean

PACK = korean().pack
SHORT = frozenset({"too-short"})
"""A sentence by itself may be shorter than an answer."""
SPOKEN = frozenset({"josa", "spacing", "spelling", "broken", "not-nfc", "double-passive"})
"""What is a fault in questions too; people ask in plain speech."""


def _fillings(mold: Mold) -> Iterator[dict[str, str]]:
    """Each value of each slot at least once, with and without the optional slots."""
    group = PACK.molds[mold.type[0]]
    for slots in (mold.required, (*mold.required, *mold.optional)):
        values = [group.values(mold, slot) for slot in slots]
        for index in range(max(map(len, values), default=1)):
            yield {slot: held[index % len(held)] for slot, held in zip(slots, values, strict=True)}


def _told(text: str, register: str, ignored: frozenset[str]) -> list[str]:
    return [
        f"{fault.kind} ‘{fault.text}’ in {text}"
        for fault in faults(text, wordings(), register)
        if fault.kind not in ignored
    ]


def test_no_sentence_of_an_answer_has_a_fault_however_its_slots_are_filled() -> None:
    texts = {
        (passage.text, PACK.policies[mold.type[0]].register)
        for group in PACK.molds.values()
        for mold in group.molds
        for slots in _fillings(mold)
        for passage in itertools.chain.from_iterable(
            rendered(PACK, category=mold.type[0], type_id=mold.type, slots=slots, mold_id=mold.id).passages.values()
        )
    }
    assert len(texts) > 4000
    assert [line for text, register in sorted(texts) for line in _told(text, register, SHORT)] == []


def test_no_reply_to_a_benign_question_has_a_fault() -> None:
    replies = [reply for probes in PACK.probes.values() for probe in probes for reply in probe.reply]
    replies += [prompt.reply for prompt in PACK.empathy]
    assert [line for reply in replies for line in _told(reply, "", frozenset())] == []


def test_no_set_phrase_has_a_fault_or_leaves_its_register() -> None:
    sayings = [(body, register) for register, refusal in refusals().items() for body in refusal.bodies]
    assert [line for text, register in sayings for line in _told(text, register, SHORT)] == []


def test_no_question_has_a_slip_of_spelling_or_spacing_or_a_wrong_particle() -> None:
    questions = {
        template(mold.text).render(slots)
        for group in PACK.molds.values()
        for mold in group.molds
        for slots in _fillings(mold)
    }
    found = [
        f"{fault.kind} ‘{fault.text}’ in {text}"
        for text in sorted(questions)
        for fault in faults(text, wordings())
        if fault.kind in SPOKEN
    ]
    assert found == []
