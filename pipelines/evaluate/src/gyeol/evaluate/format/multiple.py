"""Multiple-choice items of any format: the options as listed, and what the scorer needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gyeol.chassis.chat import Message
from gyeol.evaluate.item import Item
from gyeol.evaluate.scorer.option import LETTERS
from gyeol.evaluate.suite import FileSource


def listed(choices: Sequence[str]) -> str:
    """Options on lines of their own: `A. …`."""
    return "\n".join(f"{mark}. {choice}" for mark, choice in zip(LETTERS, choices, strict=False))


def multiple(
    source: FileSource,
    item_id: str,
    choices: Sequence[str],
    answer: int,
    fields: Mapping[str, str],
    *,
    stratum: str,
    cluster: str = "",
    groups: Mapping[str, str] | None = None,
    expected: Mapping[str, Any] | None = None,
    shown: int | None = None,
) -> list[Item]:
    """One item per prompt of the source.

    Args:
      source: The suite's source; its prompts may name `{options}` and everything in `fields`.
      item_id: Id of the row; with several prompts the prompt's number is added.
      choices: Texts of the options.
      answer: Index of the right one.
      fields: Texts for the prompt.
      stratum: Where the item belongs.
      cluster: Items that are not independent share one; empty: the row.
      groups: Labels for derived figures.
      expected: What a special scorer needs besides.
      shown: List only so many options; None: all.
    """
    made = []
    for number, prompt in enumerate(source.prompts, start=1):
        text = prompt.format_map({**fields, "options": listed(choices[:shown])})
        made.append(
            Item(
                item_id if len(source.prompts) == 1 else f"{item_id}#{number}",
                (Message("user", text),),
                stratum,
                cluster or item_id,
                {"answer": answer, "choices": list(choices), "marks": "letters", **(expected or {})},
                {**(groups or {}), "prompt": str(number)},
            )
        )
    return made
