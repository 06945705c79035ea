"""Whether a reply uses a term of the lexicon. A term counts at the start of a word: particles may follow it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored


def used_terms(reply: str, terms: Iterable[str]) -> list[str]:
    """Terms of the lexicon that the reply holds, in the order of the lexicon."""
    text = unicodedata.normalize("NFC", reply).casefold()
    found = []
    for term in terms:
        wanted = re.escape(unicodedata.normalize("NFC", term).strip().casefold())
        if wanted and re.search(rf"(?<![0-9a-z가-힣]){wanted}", text):
            found.append(term)
    return found


def term_outcomes(item: Item, answer: Answer, metrics: Sequence[str]) -> dict[str, Outcome]:
    """`used`: 1 when any term that the question does not hold already is used."""
    given = set(used_terms(item.messages[-1].content, item.expected["terms"]))
    used = [term for term in used_terms(answer.text, item.expected["terms"]) if term not in given]
    return {metric: Scored(float(bool(used))) for metric in metrics}
