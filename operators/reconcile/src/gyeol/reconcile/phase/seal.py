"""Has people review what the run puts before them, then has the dataset sealed."""

from __future__ import annotations

from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.plan import SealDataset
from gyeol.reconcile.status import DatasetStatus

REVIEW_SECONDS = 10.0
POLL_SECONDS = 2.0

_SEALED = ConditionType.DATA_SEALED


def reviewed(draft: Draft) -> bool:
    """Waits for a person where the run says so."""
    review, waiting = draft.run.spec.data.review, draft.seen.reviews_waiting
    if draft.seen.dataset is not None or review == "None" or waiting == 0:
        return True
    where = f" at {draft.seen.review_at}" if draft.seen.review_at else ""
    message = f"{waiting} triplets wait for a review: approve or reject each{where} (spec.data.review is {review})"
    draft.doing("AwaitingReview", "AwaitingReview", f"{waiting} to review")
    return draft.waiting(_SEALED, "AwaitingReview", message, seconds=REVIEW_SECONDS)


def sealed(draft: Draft) -> bool:
    """Has the dataset sealed and binds the run to it."""
    one, known = draft.seen.dataset, draft.status.dataset
    if one is None:
        draft.doing("Sealing")
        draft.step(SealDataset())
        return draft.waiting(_SEALED, "Sealing", seconds=POLL_SECONDS)
    if known is not None and known.digest != one.digest:
        message = (
            f"the dataset has digest {one.digest}, but the run is bound to {known.digest}; "
            "remove the changed folder, it is sealed again from the ledger"
        )
        return draft.blocked(_SEALED, "DatasetChanged", message)
    draft.write(
        dataset=DatasetStatus(digest=one.digest, rows=one.rows, benign_rows=one.benign_rows, location=one.location)
    )
    short = [f"{row.name} {row.accepted}/{row.target}" for row in draft.status.data.strata if row.accepted < row.target]
    if short:
        return draft.reached(_SEALED, "SealedWithDeficit", f"{one.rows} triplets; below target: {', '.join(short)}")
    return draft.reached(_SEALED, "Sealed", f"{one.rows} triplets")
