"""The HTTP application: REST below /api/v1, the console everywhere else, health for the machinery."""

from __future__ import annotations

import grpc.aio
from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp

from gyeol.chassis import logs
from gyeol.chassis.errors import GyeolError
from gyeol.gateway import problem
from gyeol.gateway.console import router as console
from gyeol.gateway.console.asset import Assets
from gyeol.gateway.console.page import problem_page
from gyeol.gateway.door import Gateway, caller, guard
from gyeol.gateway.guard.header import HeaderGuard
from gyeol.gateway.guard.size import SizeGuard
from gyeol.gateway.rest import dataset, knowledge, record, run

_log = logs.get()
_API = "/api/v1"

_DESCRIPTION = """
Runs, their books, triplets, reviews, datasets, lineage, the law and culture packs.

Errors are problem details (RFC 9457) that name the field, the value and the remedy.
Lists are read page by page: give `next_page` back as `page`.
Rejected text is harmful; it is read by name and each reading is written down.
"""


def application(held: Gateway, *, body_bytes: int) -> ASGIApp:
    """The application in front of the services."""
    app = FastAPI(
        title="Gyeol",
        version="1",
        description=_DESCRIPTION,
        openapi_url=f"{_API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(guard)],
    )
    app.state.gateway = held
    app.include_router(_rest())
    app.include_router(console)
    app.add_api_route("/health/live", _live, include_in_schema=False)
    app.add_api_route("/health/ready", _ready, include_in_schema=False)
    app.mount("/static", Assets())
    for kind in (GyeolError, grpc.aio.AioRpcError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _answered)
    return HeaderGuard(SizeGuard(app, body_bytes))


def _rest() -> APIRouter:
    problems = {"description": "A problem", "content": {problem.MEDIA_TYPE: {"schema": _PROBLEM}}}
    router = APIRouter(prefix=_API, dependencies=[Depends(caller)], responses={"default": problems})
    for part in (run.router, record.router, dataset.router, knowledge.router):
        router.include_router(part)
    return router


_PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "meaning", "instance"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "meaning": {"enum": [meaning.value for meaning in problem.TABLE]},
        "field": {"type": "string"},
        "value": {"type": "string"},
        "remedy": {"type": "string"},
        "instance": {"type": "string"},
    },
}


async def _answered(request: Request, error: Exception) -> Response:
    told = problem.problem_of(error)
    if told.status == 500:
        _log.error("request_failed", method=request.method, path=request.url.path, exc_info=error)
    if request.url.path.startswith((_API, "/health")):
        return JSONResponse(
            told.document(request.url.path), told.status, headers=told.headers, media_type=problem.MEDIA_TYPE
        )
    return problem_page(request, told)


async def _live() -> Response:
    """The process answers."""
    return PlainTextResponse("ok\n")


async def _ready(request: Request) -> Response:
    """Calls are welcome: the ledger answers."""
    held: Gateway = request.app.state.gateway
    state = await held.peers.state("ledger")
    return PlainTextResponse(f"ledger {state}\n", 200 if state == "serving" else 503)
