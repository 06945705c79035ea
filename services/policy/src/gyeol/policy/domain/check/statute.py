"""The pack's statutes agree with the law index."""

from __future__ import annotations

from collections.abc import Iterator

from gyeol.policy.domain.check.finding import Finding, Keys
from gyeol.policy.domain.citation.title import names_unknown
from gyeol.policy.domain.law import LawIndex, name_key
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.statute import Statute


def findings(pack: Pack, laws: LawIndex) -> Iterator[Finding]:
    """Yields statutes and articles that the index knows otherwise, and references between statutes that lead nowhere."""
    for index, statute in enumerate(pack.statutes.values()):
        keys: Keys = ("statutes", index)
        for identifier in statute.replaced_by:
            if identifier not in pack.statutes:
                message = f"{identifier!r} is not in statutes.yaml: correct it or add it"
                yield Finding("statutes.yaml", (*keys, "replaced_by"), message)
        yield from _statute(statute, keys, laws)
    for index, office in enumerate(pack.institutions.values()):
        for identifier in office.legal_basis:
            if identifier not in pack.statutes:
                message = f"statute {identifier!r} is not in statutes.yaml: correct it or add it"
                yield Finding("institutions.yaml", ("institutions", index, "legal_basis"), message)
        for identifier in office.replaced_by:
            if identifier not in pack.institutions:
                message = f"{identifier!r} is not in institutions.yaml: correct it or add it"
                yield Finding("institutions.yaml", ("institutions", index, "replaced_by"), message)
    for index in names_unknown(pack, laws):
        message = f"no law is called {pack.law_names[index].law}: write its title in full"
        yield Finding("names.yaml", ("laws", index, "law"), message)


def _statute(statute: Statute, keys: Keys, laws: LawIndex) -> Iterator[Finding]:
    law = laws.by_id(statute.law_id) if statute.law_id else None
    if law is None:
        if statute.law_id and statute.as_of <= laws.as_of:
            message = f"the law index has no law {statute.law_id}: correct the number, or build the index again"
            yield Finding("statutes.yaml", (*keys, "law_id"), message)
        return
    known = {name_key(name) for name in (statute.name_ko, *statute.former_names)}
    if name_key(law.name) not in known:
        message = f"law {law.id} is called {law.name}: correct the name or the number"
        yield Finding("statutes.yaml", (*keys, "name_ko"), message)
    articles = laws.articles(law.id)
    for index, article in enumerate(statute.articles):
        deleted = article.status == "deleted"
        if articles is None or deleted == (not laws.has_article(law.id, article.article)):
            continue
        where = (*keys, "articles", index, "article")
        if deleted:
            yield Finding("statutes.yaml", where, f"{article.article} is in force in the law index: correct the status")
        else:
            message = f"the law index (as of {laws.as_of}) has no {article.article} of {law.name}"
            remedy = "build the index again" if article.in_force_from else "correct the number"
            yield Finding("statutes.yaml", where, f"{message}: {remedy}", severe=not article.in_force_from)
