"""From the promulgated versions of a law to what was in force when.

The newest promulgated text may lie in the future, and texts do not take effect in the order of their promulgation: in force on a
day is the text promulgated last among those whose day has come. Clauses of one text that take effect on days of their own
cannot be told apart here; a pack says so for the articles it names.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from gyeol.policy.domain.law import ArticleSpan, Law, Title

ENACTED: Final = "제정"
REPEALED: Final = frozenset({"폐지", "타법폐지"})


@dataclass(frozen=True)
class Version:
    """One promulgated text of a law."""

    law_id: str
    kind: str
    name: str
    promulgated: str
    effective: str
    change: str
    """제정, 일부개정, 타법폐지, ...; empty when nobody said."""
    articles: Mapping[str, str]
    """Heading by number; 삭제 for a deleted article."""


def in_force(versions: Sequence[Version], on: str) -> Version | None:
    """Returns the text in force on an ISO day; `versions` in the order of promulgation."""
    return next((version for version in reversed(versions) if version.effective <= on), None)


def law(versions: Sequence[Version]) -> Law:
    """Returns what the index says about a law; `versions` in the order of promulgation, at least one."""
    first, newest = versions[0], versions[-1]
    return Law(
        id=newest.law_id,
        kind=newest.kind,
        name=newest.name,
        promulgated=newest.promulgated,
        effective=newest.effective,
        change=newest.change,
        since=first.effective if first.change == ENACTED else "",
        held_from=first.effective if first is not newest else min(first.promulgated, first.effective),
        repealed_on=newest.effective if newest.change in REPEALED else "",
        former=tuple(_former(versions)),
    )


def spans(versions: Sequence[Version]) -> dict[str, tuple[ArticleSpan, ...]]:
    """Returns for each article under which heading it stood from when to when."""
    days = sorted({version.effective for version in versions})
    texts = [(day, text.articles) for day in days if (text := in_force(versions, day)) is not None]
    numbers = {number for _, articles in texts for number in articles}
    return {number: tuple(_stretches([(day, articles.get(number)) for day, articles in texts])) for number in numbers}


def _stretches(headings: Sequence[tuple[str, str | None]]) -> list[ArticleSpan]:
    """Joins days on which a heading stayed the same; the first day is as far as the history looks back."""
    found: list[ArticleSpan] = []
    start, current = "", headings[0][1]
    for day, heading in headings[1:]:
        if heading != current:
            if current is not None:
                found.append(ArticleSpan(current, start, day))
            start, current = day, heading
    if current is not None:
        found.append(ArticleSpan(current, start))
    return found


def _former(versions: Sequence[Version]) -> list[Title]:
    titles: dict[str, str] = {}
    for older, newer in itertools.pairwise(versions):
        if older.name != newer.name:
            titles[older.name] = newer.effective
    titles.pop(versions[-1].name, None)
    return [Title(name, until) for name, until in titles.items()]
