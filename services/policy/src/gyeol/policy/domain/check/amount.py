"""A sentence that says how heavy a penalty is, how long somebody has or from which age, says what the cited article says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from gyeol.policy.domain.check.citation import spoken
from gyeol.policy.domain.check.finding import Finding, Keys
from gyeol.policy.domain.citation.checker import Checker
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.statute import Article

_TERM: Final = re.compile(r"(\d+)\s*(년|개월)\s*(이하|이상)(?=[^.;]{0,24}(?:징역|금고))")
_FINE: Final = re.compile(r"((?:\d+억)?\s*\d*[천백]?\d*만|\d+억)\s*원\s*이하(?=[^.;]{0,16}(?:벌금|과태료|과료))")
_LIMIT: Final = re.compile(r"(\d+)\s*(?:(일|주|개월|년)\s*(?:안에|이내|내에)|(세)\s*(?:이상|미만|이하))")


def findings(pack: Pack, checker: Checker, on: str) -> Iterator[Finding]:
    """Yields sentences whose penalties, time limits and ages no article that they cite is known to have."""
    known = {
        (statute.law_id or statute.name_ko, article.article): article
        for statute in pack.statutes.values()
        for article in statute.articles
    }
    for file, keys, text in spoken(pack):
        said, given = penalties(text), limits(text)
        if not said and not given:
            continue
        cited = [
            (citation.finding.law_id or citation.finding.law, citation.article)
            for citation in checker.report(text, on).citations
        ]
        cited += _referred(pack, keys, file)
        articles = [known[place] for place in dict.fromkeys(cited) if place in known]
        yield from _penalties(file, keys, said, articles)
        backed = {number for article in articles for number in re.findall(r"\d+(?:일|주|개월|년|세)", article.note_ko)}
        if wrong := given - backed:
            message = (
                f"gives {', '.join(sorted(wrong))}, which is in the note_ko of no article that it cites: leave it out and say"
                " where to look it up, or add it there when it was checked in the law"
            )
            yield Finding(file, keys, message)


def penalties(text: str) -> frozenset[str]:
    """Returns the terms and fines of a text without spaces: `7년이하`, `5천만원`."""
    terms = {"".join(match.groups()) for match in _TERM.finditer(text)}
    fines = {re.sub(r"\s", "", match[1]) + "원" for match in _FINE.finditer(text)}
    return frozenset(terms | fines)


def limits(text: str) -> frozenset[str]:
    """Returns the time limits and ages of a text without spaces: `6개월`, `60세`."""
    return frozenset("".join(filter(None, match.groups())) for match in _LIMIT.finditer(text))


def _penalties(file: str, keys: Keys, said: frozenset[str], articles: list[Article]) -> Iterator[Finding]:
    held = [article.penalty_ko for article in articles if article.penalty_ko]
    wrong = said.difference(*map(penalties, held))
    if said and not held:
        message = "states a penalty and cites no article with a penalty_ko: add that to statutes.yaml, or leave it out"
        yield Finding(file, keys, message)
    elif wrong:
        message = f"says {', '.join(sorted(wrong))}; the penalty of the cited article is: {'; '.join(held)}"
        yield Finding(file, keys, message)


def _referred(pack: Pack, keys: Keys, file: str) -> list[tuple[str, str]]:
    """What a probe rests on without saying so in this reply."""
    if keys[0] != "probes" or not isinstance(keys[1], int):
        return []
    probe = pack.probes[file.removeprefix("probes/").removesuffix(".yaml")][keys[1]]
    return [
        (pack.statutes[ref.statute].law_id or pack.statutes[ref.statute].name_ko, ref.article) for ref in probe.statutes
    ]
