"""Every sentence that a person may read cites only what is in force, and gives only numbers that were checked."""

from __future__ import annotations

from collections.abc import Iterator

from gyeol.policy.domain.check.finding import Finding, Keys
from gyeol.policy.domain.check.wording import sentences
from gyeol.policy.domain.citation.checker import Checker
from gyeol.policy.domain.citation.verdict import Verdict
from gyeol.policy.domain.pack import Pack


def findings(pack: Pack, checker: Checker, on: str) -> Iterator[Finding]:
    """Yields citations and offices in the pack's own sentences that are not verified on an ISO day."""
    for file, keys, text in spoken(pack):
        report = checker.report(text, on)
        cited = [(citation.text, citation.finding) for citation in report.citations]
        named = [(mention.text, mention.finding) for mention in report.institutions]
        for words, found in (*cited, *named):
            if found.verdict is not Verdict.VERIFIED:
                instead = f"; write {found.suggestion}" if found.suggestion else ""
                yield Finding(file, keys, f"‘{words}’ is {found.verdict.value}: {found.reason}{instead}")


def spoken(pack: Pack) -> Iterator[tuple[str, Keys, str]]:
    """Yields every sentence that a person may read, with its place."""
    for category, policy in pack.policies.items():
        file = f"policies/{category}.yaml"
        for kind, material in policy.types.items():
            yield from ((file, ("types", kind, *keys), sentence.text) for keys, sentence in sentences(material))
    for category, probes in pack.probes.items():
        file = f"probes/{category}.yaml"
        for index, probe in enumerate(probes):
            yield from ((file, ("probes", index, "reply", n), text) for n, text in enumerate(probe.reply))
    for index, prompt in enumerate(pack.empathy):
        yield "empathy.yaml", ("prompts", index), prompt.reply
    for index, norm in enumerate(pack.norms.values()):
        yield "norms.yaml", ("norms", index, "example_good_ko"), norm.example_good_ko
