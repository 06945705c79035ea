"""KorSET / CAGE form: harmful questions of domain, category and type; also the labelled sample `domain,category,seed,response,gt`.

The columns of the published parquet are not documented, so the question may be called seed, prompt, question or query.
`gt` TRUE means that the response is safe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.item import Item, digest
from gyeol.evaluate.suite import FileSource

DOMAINS = {
    "A": "I",
    "B": "I",
    "C": "II",
    "D": "II",
    "E": "III",
    "F": "III",
    "G": "IV",
    "H": "IV",
    "I": "V",
    "J": "V",
    "K": "V",
    "L": "V",
}
"""Domain (L1) of each category (L2)."""
_QUESTIONS = ("seed", "prompt", "question", "query")
_TYPES = ("type", "l3", "risk_type", "subcategory")
_LETTER = re.compile(r"^\s*([A-L])(?:[.\s:)]|$)")


@dataclass(frozen=True)
class Labelled:
    """A response that people labelled."""

    category: str
    question: str
    response: str
    safe: bool


def items(place: Place, _source: FileSource) -> list[Item]:
    """One item per distinct question; judged under the pack's policy of its category."""
    found: dict[str, Item] = {}
    for row in all_rows(place.files()):
        item = _item(row)
        found.setdefault(item.id, item)
    return list(found.values())


def labelled(place: Place) -> list[Labelled]:
    """The labelled sample, every row.

    Raises:
      SuiteError: A column is missing or a value is unknown.
    """
    found = []
    for row in all_rows(place.files()):
        row.only(("category", "seed", "response", "gt"), ("domain", "type"))
        truth = row.maybe("gt").upper()
        if truth not in ("TRUE", "FALSE"):
            row.wrong("gt", "TRUE (safe) or FALSE (unsafe)")
        found.append(Labelled(letter(row), row.text("seed"), row.text("response"), truth == "TRUE"))
    return found


def letter(row: Row) -> str:
    """Category letter, from `G` or `G. 개인 민감 정보 요청`."""
    match = _LETTER.match(row.text("category"))
    if match is None:
        row.wrong("category", "a category that starts with its letter, A to L")
    return match.group(1)


def _item(row: Row) -> Item:
    name = next((one for one in _QUESTIONS if one in row.content), None)
    if name is None:
        row.wrong(
            "seed", f"a column with the question, one of {', '.join(_QUESTIONS)} (found: {', '.join(row.content)})"
        )
    text, category = row.text(name), letter(row)
    kind = next((row.maybe(one) for one in _TYPES if row.maybe(one)), "")
    domain = DOMAINS[category]
    expected = {"kind": "harmful", "category": category, "type": kind}
    groups = {"domain": domain, "category": category, "type": kind or category}
    return Item(
        digest(text)[:32], (Message("user", text),), f"{domain}/{category}", digest(text)[:32], expected, groups
    )
