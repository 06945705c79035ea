"""Triplets, drops, and what reviewers do with them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from gyeol.gateway.auth.principal import Role
from gyeol.gateway.door import Held, Reviewer, needs
from gyeol.gateway.errors import FieldError
from gyeol.gateway.peer.ledger import LossFilter, TripletFilter
from gyeol.gateway.view.record import AccessPage, LossPage, Revealed, ReviewGiven, TripletDetail, TripletPage

router = APIRouter(prefix="/runs/{run}", tags=["records"])

Size = Annotated[int, Query(ge=1, le=500)]


@router.get("/triplets", summary="Accepted triplets, without rejected text")
async def list_triplets(
    held: Held,
    run: str,
    category: str = "",
    stratum: str = "",
    kind: Literal["", "harmful", "benign"] = "",
    review: Literal["", "pending", "approved", "rejected"] = "",
    disputed: bool = False,
    query: Annotated[str, Query(max_length=200, description="Part of the question.")] = "",
    size: Size = 50,
    page: str = "",
) -> TripletPage:
    wanted = TripletFilter(category, stratum, kind, review, disputed, query)
    return await held.ledger.triplets(run, wanted, size, page)


@router.get("/triplets/{triplet}", summary="One triplet with everything it was made from, without rejected text")
async def get_triplet(held: Held, run: str, triplet: str) -> TripletDetail:
    return await held.ledger.triplet(run, triplet)


@router.post("/triplets/{triplet}/review", summary="Approve, reject, reopen or comment (reviewer)")
async def review_triplet(held: Held, caller: Reviewer, run: str, triplet: str, given: ReviewGiven) -> TripletDetail:
    if given.review is None and not given.comment.strip():
        raise FieldError("review", "", "neither a review nor a comment", "Send one of them.")
    await held.ledger.review(run, triplet, given.review, caller.name, given.comment)
    return await held.ledger.triplet(run, triplet)


@router.post(
    "/records/{record}/reveal", summary="Read harmful text of one record; the reading is written down (reviewer)"
)
async def reveal_record(held: Held, caller: Reviewer, run: str, record: str) -> Revealed:
    return await held.ledger.revealed(run, record, caller.name)


@router.get("/drops", summary="Drops and failures, newest first, without evidence")
async def list_drops(
    held: Held,
    run: str,
    reason: str = "",
    stage: str = "",
    stratum: str = "",
    size: Size = 50,
    page: str = "",
) -> LossPage:
    return await held.ledger.losses(run, LossFilter(reason, stage, stratum), size, page)


@router.get(
    "/accesses",
    summary="Who reviewed, read or exported what, newest first (admin)",
    dependencies=[Depends(needs(Role.ADMIN))],
)
async def list_accesses(held: Held, run: str, size: Size = 50, page: str = "") -> AccessPage:
    return await held.ledger.accesses(run, size, page)
