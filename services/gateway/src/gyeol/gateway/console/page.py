"""Pages: templates filled with views, in the visitor's language, with what forms need."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import Depends
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gyeol.gateway.auth.principal import Principal, Role
from gyeol.gateway.auth.session import FORM
from gyeol.gateway.console import chart
from gyeol.gateway.console.asset import address
from gyeol.gateway.console.text import Text, language_of
from gyeol.gateway.door import gateway, known
from gyeol.gateway.errors import FieldError
from gyeol.gateway.problem import Problem
from gyeol.gateway.view.record import Citation

LANGUAGE = "gyeol_language"


async def visitor(request: Request) -> Principal:
    principal = await known(request, by_cookie=True)
    request.state.visitor = principal
    return principal


async def form(request: Request) -> FormData:
    """The fields of a form that came from one of our own pages. Raises: FieldError."""
    fields = await request.form()
    cookie = request.cookies.get(FORM, "")
    if not gateway(request).gate.sessions.is_form_token(cookie, str(fields.get("form_token", ""))):
        raise FieldError(
            "form_token", "", "the form is too old, or not ours", "Go back, reload the page and send it again."
        )
    return fields


Visitor = Annotated[Principal, Depends(visitor)]
Form = Annotated[FormData, Depends(form)]


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """A page as a response."""
    text = Text(language_of(request.cookies.get(LANGUAGE, ""), request.headers.get("accept-language", "")))
    sessions = gateway(request).gate.sessions
    cookie = request.cookies.get(FORM) or secrets.token_urlsafe(24)
    body = (
        _templates()
        .get_template(template)
        .render(
            t=text,
            request=request,
            visitor=getattr(request.state, "visitor", None),
            open=gateway(request).gate.open,
            here=request.url.path + (f"?{request.url.query}" if request.url.query else ""),
            form_token=sessions.form_token(cookie),
            **values,
        )
    )
    response = HTMLResponse(body, status)
    if FORM not in request.cookies:
        set_cookie(request, response, FORM, cookie, 30 * 86400)
    return response


def problem_page(request: Request, problem: Problem) -> Response:
    """A problem as a page; who is unknown is asked to sign in where that is possible."""
    held = gateway(request)
    if problem.status == 401 and held.gate.signs_in and request.method == "GET":
        return RedirectResponse(f"/login?{urlencode({'next': request.url.path})}", 303)
    response = page(request, "problem.html", status=problem.status, problem=problem)
    response.headers.update(problem.headers)
    return response


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """A cookie that scripts cannot read and that other sites' pages do not send."""
    response.set_cookie(
        name, value, max_age=seconds, httponly=True, samesite="strict", secure=request.url.scheme == "https", path="/"
    )


def inside(path: str) -> str:
    """A path of this site, or its start: a link may not lead a visitor elsewhere."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


def marked(text: str, citations: Iterable[Citation]) -> Markup:
    """An answer with its citations marked by their verdicts."""
    parts, at = [], 0
    for citation in sorted(citations, key=lambda one: one.start):
        if citation.start < at or text[citation.start : citation.end] != citation.text or not citation.text:
            continue
        parts.append(escape(text[at : citation.start]))
        parts.append(Markup('<mark class="{}">{}</mark>').format(citation.verdict, citation.text))
        at = citation.end
    parts.append(escape(text[at:]))
    return Markup("").join(parts)


def _day(moment: datetime) -> Markup:
    """A moment in UTC; machines read the whole, people the minutes."""
    utc = moment.astimezone(UTC)
    return Markup('<time datetime="{}">{}</time>').format(utc.isoformat(), f"{utc:%Y-%m-%d %H:%M} UTC")


@functools.cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(
        asset=address, bar=chart.bar, share=chart.share, plot=chart.plot, marked=marked, Role=Role
    )
    environment.filters.update(
        day=_day, shown=chart.shown, segment=lambda text: quote(str(text), safe=""), query=urlencode
    )
    return environment
