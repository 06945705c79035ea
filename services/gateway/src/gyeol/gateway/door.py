"""What requests need: the services behind the gateway, and the caller with the role the operation asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from gyeol.gateway.auth.gate import Gate
from gyeol.gateway.auth.principal import Principal, Role
from gyeol.gateway.errors import UnknownCallerError
from gyeol.gateway.guard.origin import Origins
from gyeol.gateway.guard.rate import Rates
from gyeol.gateway.peer.health import Peers
from gyeol.gateway.peer.ledger import LedgerPeer
from gyeol.gateway.peer.policy import PolicyPeer


@dataclass(frozen=True)
class Gateway:
    """Everything behind the HTTP door."""

    ledger: LedgerPeer
    policy: PolicyPeer
    peers: Peers
    gate: Gate
    rates: Rates
    origins: Origins
    cultures: tuple[str, ...]


def gateway(request: Request) -> Gateway:
    held: Gateway = request.app.state.gateway
    return held


def guard(request: Request) -> None:
    """Runs before every operation."""
    gateway(request).origins.check(request)


def address(request: Request) -> str:
    """Where a request comes from."""
    return request.client.host if request.client else "unknown"


async def known(request: Request, *, by_cookie: bool) -> Principal:
    """The caller, counted.

    Raises:
      UnknownCallerError: Nobody we know; too many of these from one address count as `RateExceededError`.
      RateExceededError: The caller asks too often.
    """
    held = gateway(request)
    try:
        principal = await held.gate.caller(request, by_cookie=by_cookie)
    except UnknownCallerError:
        if request.headers.get("authorization"):
            await held.rates.sign_in(address(request))
        raise
    await held.rates.request(f"{principal.name}@{address(request)}")
    return principal


async def caller(request: Request) -> Principal:
    """The caller of the REST API. A cookie does not count: a browser would send it along with anybody's request."""
    return await known(request, by_cookie=False)


def needs(role: Role) -> Callable[[Principal], Principal]:
    """A dependency that lets only callers with the role pass."""

    def check(principal: Annotated[Principal, Depends(caller)]) -> Principal:
        principal.needs(role)
        return principal

    return check


Held = Annotated[Gateway, Depends(gateway)]
Caller = Annotated[Principal, Depends(caller)]
Reviewer = Annotated[Principal, Depends(needs(Role.REVIEWER))]
