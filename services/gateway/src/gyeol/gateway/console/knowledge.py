"""Pages of lineage, law, culture packs and the API."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from gyeol.gateway.console.page import Form, page, visitor
from gyeol.gateway.door import Held
from gyeol.gateway.errors import FieldError

router = APIRouter(dependencies=[Depends(visitor)])


@router.get("/lineage")
async def lineage(
    request: Request, held: Held, node: str = "", direction: Literal["origins", "effects"] = "origins"
) -> Response:
    root = await held.ledger.trace(node, direction, 6, 20) if node.strip() else None
    return page(request, "lineage.html", node=node, direction=direction, root=root)


@router.get("/law")
async def law(request: Request) -> Response:
    return page(request, "law.html", text="", on="", report=None)


@router.post("/law")
async def check_law(request: Request, held: Held, fields: Form) -> Response:
    text, on = str(fields.get("text", "")).replace("\r\n", "\n"), str(fields.get("on", ""))
    if len(text) > 20_000:
        raise FieldError("text", text, "too long", "Send at most 20000 characters.")
    report = await held.policy.check(text, on, held.cultures[0])
    return page(request, "law.html", text=text, on=on, report=report)


@router.get("/packs")
async def packs(request: Request, held: Held) -> Response:
    return page(request, "packs.html", packs=[await held.policy.pack(culture) for culture in held.cultures])


@router.get("/api")
async def api(request: Request) -> Response:
    document: dict[str, Any] = request.app.openapi()
    operations = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return page(request, "api.html", operations=operations)
