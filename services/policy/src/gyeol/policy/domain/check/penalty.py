"""A sentence that says how heavy a penalty is says what the cited article says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gyeol.policy.domain.check.citation import spoken
from gyeol.policy.domain.check.finding import Finding
from gyeol.policy.domain.citation.checker import Checker
from gyeol.policy.domain.pack import Pack

_TERM: Final = re.compile(r"(\d+)\s*(년|개월)\s*(이하|이상)(?=[^.;]{0,24}(?:징역|금고))")
_FINE: Final = re.compile(r"((?:\d+억)?\s*\d*[천백]?\d*만|\d+억)\s*원\s*이하(?=[^.;]{0,16}(?:벌금|과태료|과료))")


def findings(pack: Pack, checker: Checker, on: str) -> Iterator[Finding]:
    """Yields sentences whose terms and fines no article that they cite is known to have."""
    known = {
        (statute.law_id or statute.name_ko, article.article): article.penalty_ko
        for statute in pack.statutes.values()
        for article in statute.articles
        if article.penalty_ko
    }
    for file, keys, text in spoken(pack):
        said = amounts(text)
        if not said:
            continue
        cited = [
            (citation.finding.law_id or citation.finding.law, citation.article)
            for citation in checker.report(text, on).citations
        ]
        held = {place: known[place] for place in cited if place in known}
        if not held:
            message = (
                "states a penalty and cites no article with a penalty_ko: add that to statutes.yaml, or leave it out"
            )
            yield Finding(file, keys, message)
        elif wrong := said - set().union(*map(amounts, held.values())):
            message = (
                f"says {', '.join(sorted(wrong))}; the penalty of the cited article is: {'; '.join(held.values())}"
            )
            yield Finding(file, keys, message)


def amounts(text: str) -> frozenset[str]:
    """Returns the terms and fines of a text without spaces: `7년이하`, `5천만원`."""
    terms = {"".join(match.groups()) for match in _TERM.finditer(text)}
    fines = {re.sub(r"\s", "", match[1]) + "원" for match in _FINE.finditer(text)}
    return frozenset(terms | fines)
