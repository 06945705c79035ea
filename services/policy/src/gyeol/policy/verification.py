"""Everything that is checked before a pack is published."""

from __future__ import annotations

from dataclasses import dataclass

from gyeol.policy.domain.check import amount, citation, completeness, identity, staleness, statute, wording
from gyeol.policy.domain.check.completeness import Coverage
from gyeol.policy.domain.check.finding import Finding
from gyeol.policy.domain.check.reference import References
from gyeol.policy.domain.citation.checker import Checker
from gyeol.policy.domain.law import LawIndex
from gyeol.policy.domain.pack import Pack
from gyeol.policy.service import GRAMMARS


@dataclass(frozen=True)
class Verification:
    findings: tuple[Finding, ...]
    coverage: tuple[Coverage, ...]

    @property
    def severe(self) -> bool:
        return any(finding.severe for finding in self.findings)


def verification(pack: Pack, laws: LawIndex, on: str) -> Verification:
    """Checks a pack that its schemas have accepted, as of an ISO day."""
    found = [*identity.findings(pack), *wording.findings(pack)]
    if not any(finding.severe for finding in found):
        found += References(pack, laws.has_article).findings()
        found += [*statute.findings(pack, laws), *staleness.findings(pack, on), *completeness.findings(pack)]
        if pack.manifest.language in GRAMMARS:
            checker = Checker(pack, laws)
            found += [*citation.findings(pack, checker, on), *amount.findings(pack, checker, on)]
    return Verification(tuple(found), tuple(completeness.coverage(pack)))
