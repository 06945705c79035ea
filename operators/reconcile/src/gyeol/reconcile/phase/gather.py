"""Gathers triplets in waves until every stratum has what it wants or can give no more.

A stratum's next wave is asked for only when nothing of the last one is on its way.
So the counts of a run do not depend on timing, restarts or the order of messages.
A wave is written down before it is asked for. A hand that was killed in between did not ask, so the next one asks again at once for
everything that is open; whatever was asked for before is the same seeds again, and changes nothing.
"""

from __future__ import annotations

from datetime import UTC, datetime

from gyeol.reconcile.allotment import Allotment, allotments
from gyeol.reconcile.condition import ConditionType, timestamp
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.phase.serve import answers
from gyeol.reconcile.plan import RequestSeeds
from gyeol.reconcile.seen import PackSeen, Seen, Side, StratumSeen
from gyeol.reconcile.status import DataStatus, StratumStatus
from gyeol.reconcile.wave import wave

STALL_SECONDS = 600
"""Nothing moved for so long: what was asked for is asked for again. Redelivery and the call store make that harmless."""
LOST_SECONDS = 60
"""The same when nothing is on its way at all: the request itself was lost."""
REDRIVES = 3
FAILURES = 5
"""Failed records from which on more failures than results stop the run."""
POLL_SECONDS = 2.0

_SEALED = ConditionType.DATA_SEALED


def gathered(draft: Draft) -> bool:
    """Fills every stratum."""
    target, seen = draft.run.spec.data.target, draft.seen
    if seen.dataset is not None or seen.pack is None:
        return seen.dataset is not None
    shares = allotments(draft.run.spec.data, strata(target.strata, seen.pack))
    wanted = sum(share.target for share in shares)
    if target.max_candidates < wanted:
        message = (
            f"spec.data.target.maxCandidates {target.max_candidates} is below the {wanted} triplets wanted in all strata; "
            "raise it or lower acceptedPerStratum"
        )
        return draft.ended(_SEALED, "CeilingBelowTarget", message)
    if draft.run.spec.data.target_model == "base":
        draft.doing("Gathering", "ModelStarting")
        if not answers(Side.BASELINE, _SEALED, draft, seconds=POLL_SECONDS):
            return False
    if _failing(draft):
        return False
    anything_open = _asked(shares, draft)
    data = draft.status.data
    draft.doing("Gathering", "", f"{data.accepted}/{data.target} triplets")
    if not anything_open:
        return _enough(shares, draft)
    if data.redrives >= REDRIVES and _idle_seconds(draft) >= STALL_SECONDS:
        message = (
            f"nothing moved, although everything was asked for again {REDRIVES} times; the logs of the services say why"
        )
        return draft.blocked(_SEALED, "NoProgress", message)
    return draft.waiting(_SEALED, "Gathering", seconds=POLL_SECONDS)


def strata(level: str, pack: PackSeen) -> list[str]:
    """Names of the strata in the order of the pack."""
    if level == "L1":
        return list(pack.domains)
    return [f"{domain}/{category}" for domain, categories in pack.domains.items() for category in categories]


def _asked(shares: tuple[Allotment, ...], draft: Draft) -> bool:
    """Asks for the next wave of every stratum that has nothing on its way; True while any stratum is open."""
    seen, before = draft.seen, draft.status.data
    requested_before = {row.name: row.requested for row in before.strata}
    moved = seen.account.moves != before.moves or not before.moved_at
    redrives = 0 if moved or seen.retry else before.redrives
    again = redrives + 1 if not moved and _stalled(draft, redrives) else 0
    rows, anything_open = [], False
    for share in shares:
        books = seen.account.strata.get(share.stratum, StratumSeen())
        requested = requested_before.get(share.stratum, 0)
        step = _request(share, books, requested, again, seen)
        if step is not None:
            draft.step(step)
            requested = step.offset + step.count
        anything_open = anything_open or step is not None or _open(books, requested)
        rows.append(_row(share, books, requested))
    draft.write(
        data=DataStatus(
            accepted=sum(row.accepted for row in rows),
            target=sum(row.target for row in rows),
            strata=tuple(rows),
            moves=seen.account.moves,
            moved_at=timestamp(draft.now) if moved or again or seen.retry else before.moved_at,
            redrives=max(redrives, again),
            forgiven=_failures(seen) if seen.retry else before.forgiven,
        )
    )
    return anything_open


def _request(share: Allotment, books: StratumSeen, requested: int, again: int, seen: Seen) -> RequestSeeds | None:
    lost = _open(books, requested) and (again or seen.retry or seen.resumed)
    failed = seen.retry and books.failures > 0 and books.accepted < share.target
    if lost or failed:
        return RequestSeeds(share.stratum, share.kind, 0, requested, redrive=again or 1)
    if _open(books, requested):
        return None
    count = wave(
        target=share.target,
        accepted=books.accepted,
        requested=requested,
        ceiling=share.ceiling,
        capacity=seen.capacity.get(share.stratum, share.ceiling),
    )
    return RequestSeeds(share.stratum, share.kind, requested, count) if count else None


def _row(share: Allotment, books: StratumSeen, requested: int) -> StratumStatus:
    return StratumStatus(
        name=share.stratum,
        target=share.target,
        accepted=books.accepted,
        inputs=books.inputs,
        requested=requested,
    )


def _open(books: StratumSeen, requested: int) -> bool:
    return books.pending > 0 or books.inputs < requested


def _stalled(draft: Draft, redrives: int) -> bool:
    on_their_way = any(books.pending for books in draft.seen.account.strata.values())
    return redrives < REDRIVES and _idle_seconds(draft) >= (STALL_SECONDS if on_their_way else LOST_SECONDS)


def _idle_seconds(draft: Draft) -> float:
    since = datetime.fromisoformat(draft.status.data.moved_at).astimezone(UTC)
    return (draft.now - since).total_seconds()


def _failures(seen: Seen) -> int:
    return sum(books.failures for books in seen.account.strata.values())


def _failing(draft: Draft) -> bool:
    """Stops the run when most records fail: going on would only use the ceiling up."""
    fresh = _failures(draft.seen) - draft.status.data.forgiven
    decided = sum(books.accepted + books.drops for books in draft.seen.account.strata.values())
    if draft.seen.retry or fresh < FAILURES or fresh <= decided:
        return False
    message = f"{fresh} records failed and only {decided} were decided; the failures in the account say why, then start the run again"
    draft.blocked(_SEALED, "RecordsFailing", message)
    return True


def _enough(shares: tuple[Allotment, ...], draft: Draft) -> bool:
    accepted = {row.name: row.accepted for row in draft.status.data.strata}
    for share in shares:
        if accepted[share.stratum] < share.minimum:
            message = (
                f"stratum {share.stratum} has {accepted[share.stratum]} accepted triplets and can get no more; "
                f"spec.data.target.minimumPerStratum asks for {share.minimum} of it"
            )
            return draft.ended(_SEALED, "BelowMinimum", message)
    if sum(accepted.values()) == 0:
        return draft.ended(_SEALED, "NothingAccepted", "no triplet was accepted; the drops in the account say why")
    return True
