"""What changed in the laws since a day."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass

from gyeol.policy.domain.law import DELETED, ArticleSpan, Law, LawIndex


@dataclass(frozen=True)
class ArticleChange:
    article: str
    what: str
    """`new`, `changed`, `deleted` or `gone`."""
    day: str
    """ISO date on which it took or takes effect."""
    heading: str

    def row(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True)
class LawChange:
    law_id: str
    name: str
    change: str
    promulgated: str
    effective: str
    articles: tuple[ArticleChange, ...]
    """Empty where the index has no history of the law."""

    def row(self) -> dict[str, str]:
        return {name: value for name, value in asdict(self).items() if name != "articles"}


def changes(laws: LawIndex, since: str, among: Collection[str] | None) -> list[LawChange]:
    """Returns the laws promulgated or taking effect from an ISO day on, the newest first; `among` are law ids."""
    found = [
        LawChange(
            law.id, law.name, law.change, law.promulgated, law.effective, tuple(_articles(laws.articles(law.id), since))
        )
        for law in laws.laws
        if (among is None or law.id in among) and _touched(law, since)
    ]
    return sorted(found, key=lambda change: (change.promulgated, change.name), reverse=True)


def _touched(law: Law, since: str) -> bool:
    return law.promulgated >= since or law.effective >= since


def _articles(articles: Mapping[str, tuple[ArticleSpan, ...]] | None, since: str) -> Iterator[ArticleChange]:
    for number, spans in (articles or {}).items():
        yield from _spans(number, spans, since)


def _spans(number: str, spans: tuple[ArticleSpan, ...], since: str) -> Iterator[ArticleChange]:
    ended = {span.until for span in spans if span.until}
    for span in spans:
        if span.since >= since and span.since:
            what = "deleted" if span.heading == DELETED else ("changed" if span.since in ended else "new")
            yield ArticleChange(number, what, span.since, "" if span.heading == DELETED else span.heading)
        if span.until >= since and span.until and span.until not in {other.since for other in spans}:
            yield ArticleChange(number, "gone", span.until, span.heading)
