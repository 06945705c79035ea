"""Pages of runs."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gyeol.gateway.auth.principal import Role
from gyeol.gateway.console.page import Form, Visitor, page, visitor
from gyeol.gateway.door import Held
from gyeol.gateway.errors import FieldError
from gyeol.gateway.rest.dataset import exported

router = APIRouter(dependencies=[Depends(visitor)])


@router.get("/")
async def home() -> Response:
    return RedirectResponse("/runs", 303)


@router.get("/runs")
async def runs(request: Request, held: Held, page_token: str = "") -> Response:
    listed = await held.ledger.runs(20, page_token)
    accounts = await asyncio.gather(*(held.ledger.account(run.id) for run in listed.runs))
    return page(request, "runs.html", listed=list(zip(listed.runs, accounts, strict=True)), next_page=listed.next_page)


@router.get("/runs/{run_id}")
async def run(request: Request, held: Held, run_id: str) -> Response:
    found, account, artifacts = await asyncio.gather(
        held.ledger.run(run_id), held.ledger.account(run_id), held.ledger.artifacts(run_id)
    )
    return page(request, "run.html", run=found, account=account, artifacts=artifacts)


@router.get("/runs/{run_id}/training")
async def training(request: Request, held: Held, run_id: str) -> Response:
    found, curves = await asyncio.gather(held.ledger.run(run_id), held.ledger.curves(run_id))
    return page(request, "training.html", run=found, curves=curves)


@router.post("/runs/{run_id}/export")
async def export(held: Held, visitor: Visitor, fields: Form, run_id: str) -> Response:
    visitor.needs(Role.REVIEWER)
    match fields.get("format"):
        case "parquet":
            return await exported(held, run_id, "parquet", visitor.name)
        case "jsonl":
            return await exported(held, run_id, "jsonl", visitor.name)
        case other:
            raise FieldError("format", other, "no such format", "Choose parquet or jsonl.")
