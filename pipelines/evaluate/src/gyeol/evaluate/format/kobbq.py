"""KoBBQ (arXiv 2307.16778, MIT): the TSV of samples.

Every prompt has its own wording of "unknown" (`unknown_1`, `unknown_2`, … in the options). The published order of choices
always ends with it, so the order is shuffled per sample and prompt; otherwise a model that likes the last option looks fair.
`bsd` and `cnt` in a sample id name the kind of question. Whether the *context* is biased is whether its right answer agrees
with the stereotype, as in the published scoring.
"""

from __future__ import annotations

import random

from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.format.multiple import multiple
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

UNKNOWN = "알 수 없음"
LABELS = ("SR", "TM", "ST", "NC")
_COLUMNS = ("sample_id", "label_annotation", "context", "question", "choices", "biased_answer", "answer")
_OPTIONAL = ("bbq_id", "bbq_category", "prediction")


def items(place: Place, source: FileSource) -> list[Item]:
    """Items of a samples file; of a folder, the test samples (`evaluation-test` at the hub)."""
    rows = all_rows(place.called("test_samples", "evaluation-test"))
    return [item for row in rows for item in _items(row.only(_COLUMNS, _OPTIONAL), source)]


def _items(row: Row, source: FileSource) -> list[Item]:
    sample = row.text("sample_id")
    parts = sample.split("-")
    if len(parts) < 5 or parts[3] not in ("amb", "dis") or parts[4] not in ("bsd", "cnt"):
        row.wrong("sample_id", "<category>-<template><a..d>-<number>-<amb|dis>-<bsd|cnt>")
    choices = row.texts("choices")
    if len(choices) != 3 or UNKNOWN not in choices:
        row.wrong("choices", f"three choices, one of them {UNKNOWN!r}")
    answer, biased = row.one_of("answer", choices), row.one_of("biased_answer", choices)
    if (answer == UNKNOWN) != (parts[3] == "amb"):
        row.wrong("answer", f"{UNKNOWN!r} in ambiguous contexts and nowhere else")
    context = "ambiguous" if parts[3] == "amb" else "biased" if answer == biased else "counter-biased"
    template = f"{parts[0]}-{parts[1].rstrip('abcd')}"
    found: list[Item] = []
    for number, prompt in enumerate(source.prompts, start=1):
        order = list(choices)
        random.Random(f"{sample}/{number}").shuffle(order)  # noqa: S311 - an order, not a secret
        unknown = source.options.get(f"unknown_{number}", UNKNOWN)
        [item] = multiple(
            source.model_copy(update={"prompts": [prompt]}),
            f"{sample}#{number}",
            [unknown if choice == UNKNOWN else choice for choice in order],
            order.index(answer),
            {"context": row.text("context"), "question": row.text("question")},
            stratum=f"{parts[0]}/{'ambiguous' if context == 'ambiguous' else 'disambiguated'}",
            cluster=template,
            groups={
                "category": parts[0],
                "context": context,
                "clarity": "ambiguous" if context == "ambiguous" else "disambiguated",
                "label": row.one_of("label_annotation", LABELS),
            },
            expected={"biased": order.index(biased), "unknown": order.index(UNKNOWN)},
        )
        found.append(
            Item(
                item.id,
                item.messages,
                item.stratum,
                item.cluster,
                item.expected,
                {**item.groups, "prompt": str(number)},
            )
        )
    return found
