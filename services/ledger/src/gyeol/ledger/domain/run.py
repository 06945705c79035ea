"""A run as registered, and its specification in the one form that is hashed."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gyeol.ledger.errors import FieldInvalidError

REVIEWS = ("None", "Disagreements", "All")
"""Values of `data.review`."""

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,251}[A-Za-z0-9])?")


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    name: str
    spec_json: str
    """Canonical: sorted keys, no spaces."""
    spec_digest: str
    status_json: str
    created_at: datetime

    @property
    def review(self) -> str:
        """Which triplets a person has to review before sealing: one of `REVIEWS`."""
        return review_of(self.spec_json)


def review_of(spec_json: str) -> str:
    """What a specification says of reviews: one of `REVIEWS`."""
    data = json.loads(spec_json).get("data")
    return str(data.get("review", "None")) if isinstance(data, dict) else "None"


def named(field: str, value: str) -> str:
    """A run id or name that fits every place it is used in.

    Raises:
      FieldInvalidError: It is empty, too long or holds other characters.
    """
    if not _NAME.fullmatch(value):
        raise FieldInvalidError(
            field,
            value,
            "not a usable name",
            "Use 1 to 253 letters, digits, '-', '_' or '.', with a letter or digit at both ends.",
        )
    return value


def parsed(field: str, text: str) -> dict[str, Any]:
    """A JSON object.

    Raises:
      FieldInvalidError: The text is no JSON object.
    """
    try:
        value = json.loads(text)
    except ValueError as error:
        raise FieldInvalidError(field, text, f"not JSON ({error})", "Send the object as JSON.") from None
    if not isinstance(value, dict):
        raise FieldInvalidError(field, text, "not a JSON object", "Send an object in braces.")
    return value


def specification(text: str) -> tuple[str, str, dict[str, Any]]:
    """The canonical form, the digest and the content of a specification.

    Raises:
      FieldInvalidError: It is no JSON object, or `data.review` is unknown.
    """
    spec = parsed("spec_json", text)
    data = spec.get("data")
    review = data.get("review", "None") if isinstance(data, dict) else "None"
    if review not in REVIEWS:
        raise FieldInvalidError("data.review", review, "no such review rule", f"Use one of {', '.join(REVIEWS)}.")
    canonical = json.dumps(spec, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return canonical, f"sha256:{hashlib.sha256(canonical.encode()).hexdigest()}", spec
