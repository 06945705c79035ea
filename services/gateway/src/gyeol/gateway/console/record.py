"""Pages of triplets and drops, and what reviewers do on them."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gyeol.gateway.auth.principal import Role
from gyeol.gateway.console.page import Form, Visitor, form, page, visitor
from gyeol.gateway.convert.record import Review
from gyeol.gateway.door import Gateway, Held
from gyeol.gateway.errors import FieldError
from gyeol.gateway.peer.ledger import LossFilter, TripletFilter

router = APIRouter(prefix="/runs/{run_id}", dependencies=[Depends(visitor)])

_KINDS: dict[str, Any] = {"": "", "harmful": "harmful", "benign": "benign"}
_REVIEWS: dict[str, Any] = {"": "", "pending": "pending", "approved": "approved", "rejected": "rejected"}
_DECISIONS: dict[str, Review | None] = {
    "approve": "approved",
    "reject": "rejected",
    "reopen": "pending",
    "comment": None,
}


@router.get("/triplets")
async def triplets(request: Request, held: Held, run_id: str) -> Response:
    given = request.query_params
    wanted = TripletFilter(
        stratum=given.get("stratum", ""),
        kind=_chosen("kind", given.get("kind", ""), _KINDS),
        review=_chosen("review", given.get("review", ""), _REVIEWS),
        disputed=given.get("disputed") == "on",
        query=given.get("query", "")[:200].strip(),
    )
    found, account, listed = await asyncio.gather(
        held.ledger.run(run_id),
        held.ledger.account(run_id),
        held.ledger.triplets(run_id, wanted, 20, given.get("page", "")),
    )
    filters = {name: value for name, value in given.items() if name != "page" and value}
    return page(request, "triplets.html", run=found, account=account, wanted=wanted, listed=listed, filters=filters)


@router.get("/triplets/{triplet_id}")
async def triplet(request: Request, held: Held, run_id: str, triplet_id: str) -> Response:
    return await _triplet_page(request, held, run_id, triplet_id)


@router.post("/triplets/{triplet_id}/reveal", dependencies=[Depends(form)])
async def reveal_triplet(
    request: Request,
    held: Held,
    visitor: Visitor,
    run_id: str,
    triplet_id: str,
) -> Response:
    visitor.needs(Role.REVIEWER)
    record = (await held.ledger.triplet(run_id, triplet_id)).record_id
    revealed = await held.ledger.revealed(run_id, record, visitor.name)
    return await _triplet_page(request, held, run_id, triplet_id, rejected=revealed.rejected)


@router.post("/triplets/{triplet_id}/review")
async def review(held: Held, visitor: Visitor, fields: Form, run_id: str, triplet_id: str) -> Response:
    visitor.needs(Role.REVIEWER)
    decision = _chosen("decision", str(fields.get("decision", "")), _DECISIONS)
    comment = str(fields.get("comment", "")).strip()
    await held.ledger.review(run_id, triplet_id, decision, visitor.name, comment)
    return RedirectResponse(f"/runs/{run_id}/triplets/{triplet_id}", 303)


@router.get("/drops")
async def drops(request: Request, held: Held, run_id: str) -> Response:
    given = request.query_params
    wanted = LossFilter(given.get("reason", ""), given.get("stage", ""), given.get("stratum", ""))
    found, account, listed = await asyncio.gather(
        held.ledger.run(run_id),
        held.ledger.account(run_id),
        held.ledger.losses(run_id, wanted, 30, given.get("page", "")),
    )
    filters = {name: value for name, value in given.items() if name != "page" and value}
    return page(request, "drops.html", run=found, account=account, wanted=wanted, listed=listed, filters=filters)


@router.post("/records/{record_id}/reveal", dependencies=[Depends(form)])
async def reveal_record(
    request: Request,
    held: Held,
    visitor: Visitor,
    run_id: str,
    record_id: str,
) -> Response:
    visitor.needs(Role.REVIEWER)
    revealed = await held.ledger.revealed(run_id, record_id, visitor.name)
    return page(request, "evidence.html", run_id=run_id, record_id=record_id, revealed=revealed)


@router.get("/accesses")
async def accesses(request: Request, held: Held, visitor: Visitor, run_id: str) -> Response:
    visitor.needs(Role.ADMIN)
    found, listed = await asyncio.gather(
        held.ledger.run(run_id), held.ledger.accesses(run_id, 50, request.query_params.get("page", ""))
    )
    return page(request, "accesses.html", run=found, listed=listed)


async def _triplet_page(
    request: Request, held: Gateway, run_id: str, triplet_id: str, *, rejected: str = ""
) -> Response:
    found = await held.ledger.triplet(run_id, triplet_id)
    return page(request, "triplet.html", run_id=run_id, triplet=found, rejected=rejected)


def _chosen(field: str, value: str, known: dict[str, Any]) -> Any:
    """Raises: FieldError."""
    if value not in known:
        raise FieldError(field, value, "not one of the choices", f"Choose one of {', '.join(filter(None, known))}.")
    return known[value]
