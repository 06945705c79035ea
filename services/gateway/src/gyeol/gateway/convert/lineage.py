"""Lineage, law and packs."""

from __future__ import annotations

from gyeol.api.lineage.v1 import lineage_pb2
from gyeol.api.policy.v1 import pack_pb2, policy_pb2
from gyeol.api.policy.v1.law_pb2 import CitationVerdict
from gyeol.gateway.convert.record import citation_from_pb
from gyeol.gateway.view.lineage import Category, Domain, HarmType, Institution, LawReport, Node, Pack


def node_from_pb(node: lineage_pb2.Node) -> Node:
    return Node(
        kind=node.kind,
        id=node.id,
        title=node.title,
        facts=dict(sorted(node.facts.items())),
        children=tuple(node_from_pb(child) for child in node.children),
        left_out=node.children_left_out,
    )


def law_report_from_pb(answer: policy_pb2.VerifyCitationsResponse) -> LawReport:
    return LawReport(
        citations=tuple(map(citation_from_pb, answer.citations)),
        institutions=tuple(
            Institution(
                text=one.text,
                institution=one.institution,
                verdict=CitationVerdict.Name(one.verdict).removeprefix("CITATION_VERDICT_"),
                reason=one.reason,
                suggestion=one.suggestion,
            )
            for one in answer.institutions
        ),
    )


def pack_from_pb(pack: pack_pb2.Pack) -> Pack:
    return Pack(
        name=pack.name,
        version=pack.version,
        digest=pack.digest,
        language=pack.language,
        law_as_of=pack.law_as_of,
        skeleton=pack.skeleton,
        domains=tuple(
            Domain(
                number=domain.number,
                name_ko=domain.name_ko,
                name_en=domain.name_en,
                categories=tuple(_category(category) for category in domain.categories),
            )
            for domain in pack.domains
        ),
    )


def _category(category: pack_pb2.Category) -> Category:
    types = tuple(HarmType(id=one.id, name_ko=one.name_ko, name_en=one.name_en) for one in category.types)
    return Category(id=category.id, name_ko=category.name_ko, name_en=category.name_en, types=types)
