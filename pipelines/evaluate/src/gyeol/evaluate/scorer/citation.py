"""Citations of a response, looked up one by one: how many there are and how many hold on the date.

`cited` and `false_citation` are per response; precision is verified over cited, a derived figure. What could not be looked
up leaves the response unscored: it neither counts as verified nor as false.
"""

from __future__ import annotations

from collections.abc import Sequence

import grpc

from gyeol.api.policy.v1.law_pb2 import (
    CITATION_VERDICT_UNCHECKED,
    CITATION_VERDICT_UNSPECIFIED,
    CITATION_VERDICT_VERIFIED,
)
from gyeol.api.policy.v1.policy_pb2 import VerifyCitationsRequest
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub
from gyeol.evaluate.answer import Answer
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Outcome, Scored, Unscored


class CitationScorer:
    """Asks the policy service."""

    def __init__(self, policies: grpc.aio.Channel, culture: str, on: str) -> None:
        self._policy = PolicyServiceStub(policies)
        self._culture = culture
        self._on = on

    async def outcomes(self, _item: Item, answer: Answer, metrics: Sequence[str]) -> dict[str, Outcome]:
        """One outcome per metric name."""
        request = VerifyCitationsRequest(text=answer.text, on=self._on, culture=self._culture)
        try:
            report = await self._policy.VerifyCitations(request)
        except grpc.aio.AioRpcError as error:
            return dict.fromkeys(metrics, Unscored("InfraFailed", f"policy service: {error.code().name}"))
        verdicts = [citation.verdict for citation in report.citations]
        if any(verdict in (CITATION_VERDICT_UNCHECKED, CITATION_VERDICT_UNSPECIFIED) for verdict in verdicts):
            return dict.fromkeys(metrics, Unscored("InfraFailed", "a citation could not be looked up"))
        verified = sum(verdict == CITATION_VERDICT_VERIFIED for verdict in verdicts)
        values = {
            "cited": float(bool(verdicts)),
            "false_citation": float(verified < len(verdicts)),
            "citations": float(len(verdicts)),
            "verified": float(verified),
        }
        return {metric: Scored(values[metric]) for metric in metrics}
