"""Who cites what changed: the policies, probes and groups of a pack, and the chosen answers of a dataset."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass

from gyeol.policy.domain.change import LawChange
from gyeol.policy.domain.citation.checker import Checker
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.statute import ArticleRef


@dataclass(frozen=True)
class Citing:
    """One place that cites an article of a law."""

    kind: str
    """`policy`, `probe`, `population` or `triplet`."""
    id: str
    """`G` and `G.financial` for policies, else the id of the probe, group or triplet."""
    article: str
    """Empty: the law is named alone."""

    def row(self) -> dict[str, str]:
        return asdict(self)


@dataclass(frozen=True)
class Triplet:
    """What a dataset says in one chosen answer."""

    id: str
    chosen: str


def in_pack(pack: Pack, change: LawChange) -> list[Citing]:
    """Returns the places of a pack that cite what changed; every article of the law where no history tells which."""
    touched = {article.article for article in change.articles}
    cited = (
        Citing(kind, identifier, ref.article)
        for kind, identifier, ref in _references(pack)
        if ref.statute in pack.statutes and pack.statutes[ref.statute].law_id == change.law_id
    )
    return list(dict.fromkeys(place for place in cited if not touched or place.article in touched))


def in_triplets(
    triplets: Iterable[Triplet], checker: Checker, changes: Collection[LawChange], on: str
) -> dict[str, list[Citing]]:
    """Returns, by law id, the triplets whose chosen answer cites what changed."""
    touched = {change.law_id: {article.article for article in change.articles} for change in changes}
    found: dict[str, list[Citing]] = {}
    for triplet in triplets:
        for citation in checker.report(triplet.chosen, on).citations:
            law = citation.finding.law_id
            if law in touched and (not touched[law] or citation.article in touched[law]):
                place = Citing("triplet", triplet.id, citation.article)
                if place not in found.setdefault(law, []):
                    found[law].append(place)
    return found


def _references(pack: Pack) -> Iterator[tuple[str, str, ArticleRef]]:
    for category, policy in pack.policies.items():
        for use in policy.statutes:
            yield from (("policy", category, ArticleRef(use.statute, article)) for article in use.articles)
        for kind, material in policy.types.items():
            yield from (("policy", kind, ArticleRef(line.statute, line.article)) for line in material.law)
    for probes in pack.probes.values():
        yield from (("probe", probe.id, ref) for probe in probes for ref in probe.statutes)
    yield from (("population", group.id, ref) for group in pack.populations.values() for ref in group.framework)
