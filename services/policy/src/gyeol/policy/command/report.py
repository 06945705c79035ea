"""How a report of citations is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gyeol.policy.domain.citation.verdict import Verdict

if TYPE_CHECKING:
    from gyeol.policy.domain.citation.checker import Report

_TOLD = {
    Verdict.VERIFIED: "시행 중",
    Verdict.NOT_IN_FORCE: "효력 없음",
    Verdict.NOT_FOUND: "없음",
    Verdict.UNCHECKED: "확인 못 함",
}


def told(verdict: Verdict) -> str:
    """Returns a verdict in Korean."""
    return _TOLD[verdict]


def rows(report: Report) -> dict[str, Any]:
    """Returns what `--json` prints."""
    return {
        "citations": [
            {
                "text": citation.text,
                "law": citation.finding.law,
                "article": citation.article,
                "verdict": citation.finding.verdict.value,
                "reason": citation.finding.reason,
                "suggestion": citation.finding.suggestion,
            }
            for citation in report.citations
        ],
        "institutions": [
            {
                "text": mention.text,
                "institution": mention.institution,
                "verdict": mention.finding.verdict.value,
                "reason": mention.finding.reason,
                "suggestion": mention.finding.suggestion,
            }
            for mention in report.institutions
        ],
    }


def lines(report: Report) -> list[str]:
    """Returns what a person reads, a line for each finding."""
    found = [(c.text, c.finding) for c in report.citations] + [(m.text, m.finding) for m in report.institutions]
    return [
        f"{finding.verdict.value:<10}  {told(finding.verdict)}  {text}  {finding.reason}"
        + (f" → {finding.suggestion}" if finding.suggestion else "")
        for text, finding in found
    ]
