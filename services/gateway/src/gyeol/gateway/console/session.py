"""Signing in and out, and choosing the language."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from gyeol.gateway.auth.session import SESSION
from gyeol.gateway.console.page import LANGUAGE, form, inside, page, set_cookie
from gyeol.gateway.console.text import LANGUAGES
from gyeol.gateway.door import Held, address

router = APIRouter()


@router.get("/login")
async def sign_in_form(request: Request, held: Held, next: str = "/") -> Response:  # noqa: A002
    if not held.gate.signs_in:
        return RedirectResponse("/", 303)
    return page(request, "login.html", next=inside(next))


@router.post("/login")
async def sign_in(request: Request, held: Held) -> Response:
    fields = await form(request)
    await held.rates.sign_in(address(request))
    _, cookie = held.gate.signed_in(str(fields.get("token", "")).strip())
    response = RedirectResponse(inside(str(fields.get("next", "/"))), 303)
    set_cookie(request, response, SESSION, cookie, held.gate.sessions.seconds)
    return response


@router.post("/logout")
async def sign_out(request: Request) -> Response:
    await form(request)
    response = RedirectResponse("/", 303)
    response.delete_cookie(SESSION, path="/")
    return response


@router.get("/language/{language}")
async def choose_language(request: Request, language: str, next: str = "/") -> Response:  # noqa: A002
    response = RedirectResponse(inside(next), 303)
    if language in LANGUAGES:
        set_cookie(request, response, LANGUAGE, language, 365 * 86400)
    return response
