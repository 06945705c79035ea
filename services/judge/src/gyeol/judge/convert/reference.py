"""Citations and mentions of offices, both ways."""

from __future__ import annotations

from gyeol.api.policy.v1 import law_pb2
from gyeol.api.policy.v1.policy_pb2 import VerifyCitationsResponse
from gyeol.judge.domain.case import Citation, Mention, References, Standing


def references_from_pb(found: VerifyCitationsResponse) -> References:
    return References(
        citations=tuple(
            Citation(
                text=citation.text,
                law=citation.law,
                article=citation.article,
                standing=_standing_from_pb(citation.verdict),
                reason=citation.reason,
                start=citation.start,
                end=citation.end,
                law_id=citation.law_id,
                suggestion=citation.suggestion,
            )
            for citation in found.citations
        ),
        mentions=tuple(
            Mention(mention.text, mention.institution, _standing_from_pb(mention.verdict), mention.reason)
            for mention in found.institutions
        ),
    )


def citation_to_pb(citation: Citation) -> law_pb2.Citation:
    return law_pb2.Citation(
        text=citation.text,
        start=citation.start,
        end=citation.end,
        law=citation.law,
        law_id=citation.law_id,
        article=citation.article,
        verdict=law_pb2.CitationVerdict.Value(f"CITATION_VERDICT_{citation.standing.value}"),
        reason=citation.reason,
        suggestion=citation.suggestion,
    )


def _standing_from_pb(verdict: law_pb2.CitationVerdict.ValueType) -> Standing:
    """A verdict that this service does not know was not checked, as far as it can tell."""
    name = law_pb2.CitationVerdict.Name(verdict).removeprefix("CITATION_VERDICT_")
    return Standing[name] if name in Standing.__members__ else Standing.UNCHECKED
