"""What should have been looked at again by a day."""

from __future__ import annotations

from collections.abc import Iterator

from gyeol.policy.domain.check.finding import Finding
from gyeol.policy.domain.pack import Pack


def findings(pack: Pack, on: str) -> Iterator[Finding]:
    """Yields reviews that were due before an ISO day."""
    if pack.manifest.review_by < on:
        message = f"was due on {pack.manifest.review_by}: review the pack and set the next date"
        yield Finding("pack.yaml", ("review_by",), message)
    for index, office in enumerate(pack.institutions.values()):
        if office.review_by < on and office.status == "active":
            message = (
                f"{office.name_ko} was to be reviewed by {office.review_by}: check name and number, set verified_on"
            )
            yield Finding("institutions.yaml", ("institutions", index, "review_by"), message)
    for index, term in enumerate(pack.terms):
        if term.expires < on:
            message = f"‘{term.term}’ expired on {term.expires}: check whether people still say it, or remove it"
            yield Finding("terms.yaml", ("terms", index, "expires"), message, severe=False)
