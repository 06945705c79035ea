"""Whether a culture pack can be relied on: it is the one that was named, and its law is not too old."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal

from gyeol.reconcile.condition import ConditionStatus, found, updated
from gyeol.reconcile.pack import CulturePack, CulturePackStatus
from gyeol.reconcile.plan import Event

REVIEW_DAYS = 365
"""A pack is to be reviewed within so many days after the date of its law."""


@dataclass(frozen=True)
class Signature:
    """What was found about the signature that a pack asks for."""

    state: Literal["Verified", "Unverified", "Invalid"]
    """`Unverified`: it could not be checked."""
    message: str
    """By which key, or why not and what to do."""


@dataclass(frozen=True)
class ServedPack:
    """The pack as the policy service serves it; it refuses one whose references do not resolve."""

    digest: str
    version: str
    law_as_of: str


def decide_pack(
    pack: CulturePack, served: ServedPack | None, signature: Signature | None, now: datetime
) -> tuple[CulturePackStatus, tuple[Event, ...]]:
    """The status of a pack, and what is worth telling.

    Args:
      pack: The object.
      served: What the policy service has for the culture; None: nothing.
      signature: What was found about its signature; None: none is asked for.
      now: The moment, in UTC.
    """
    generation = pack.metadata.generation
    state = signature.state if signature and served else "Unverified"
    status = pack.status.model_copy(update={"observed_generation": generation, "signature": state})
    events: list[Event] = []

    def say(kind: str, state: ConditionStatus, reason: str, message: str) -> None:
        nonlocal status
        before = found(status.conditions, kind)
        after = updated(status.conditions, kind, state, reason, message, generation=generation, now=now)
        status = status.model_copy(update={"conditions": after})
        if before is None or (before.status, before.reason) != (state, reason):
            events.append(Event("Normal" if state == "True" else "Warning", reason, message))

    if served is None:
        message = (
            f"the policy service has no pack for {pack.spec.culture}; mount {pack.spec.source.uri} where it reads packs"
        )
        say("Verified", "False", "PackMissing", message)
        say("Current", "Unknown", "PackMissing", "")
        return status, tuple(events)
    due = date.fromisoformat(served.law_as_of) + timedelta(days=REVIEW_DAYS)
    status = status.model_copy(
        update={
            "digest": served.digest,
            "version": served.version,
            "law_as_of": served.law_as_of,
            "review_by": due.isoformat(),
        }
    )
    wanted = pack.spec.source.digest or pack.status.digest
    if wanted and wanted != served.digest:
        message = f"the policy service has {served.digest}, but {wanted} is wanted; mount that version, or name the new digest"
        say("Verified", "False", "OtherPack", message)
        status = status.model_copy(update={"digest": pack.status.digest or served.digest})
    elif signature is not None and signature.state == "Invalid":
        say("Verified", "False", "SignatureInvalid", signature.message)
    elif signature is not None and signature.state == "Unverified":
        say("Verified", "Unknown", "SignatureUnverified", f"the signature could not be checked: {signature.message}")
    elif signature is not None:
        say("Verified", "True", "SignatureVerified", f"every reference resolves; {signature.message}")
    else:
        say("Verified", "True", "Verified", f"every reference resolves; {served.digest}")
    if due < now.date():
        message = (
            f"its law is as of {served.law_as_of}; review the pack and date it anew (it was due on {due.isoformat()})"
        )
        say("Current", "False", "ReviewDue", message)
    else:
        say("Current", "True", "Current", f"to be reviewed by {due.isoformat()}")
    return status, tuple(events)
