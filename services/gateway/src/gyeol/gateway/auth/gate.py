"""The gate: from a request to the caller. Bearer tokens serve programs, the session cookie serves the console."""

from __future__ import annotations

from starlette.requests import Request

from gyeol.chassis.clock import Clock
from gyeol.gateway.auth.oidc import Oidc
from gyeol.gateway.auth.principal import LOCAL, Principal
from gyeol.gateway.auth.session import SESSION, Session, Sessions, session_key
from gyeol.gateway.auth.token import PREFIX, Tokens
from gyeol.gateway.errors import UnknownCallerError
from gyeol.gateway.settings import Settings


class Gate:
    """Knows callers by what they bring."""

    def __init__(self, sessions: Sessions, tokens: Tokens | None, oidc: Oidc | None) -> None:
        self.sessions = sessions
        self._tokens = tokens
        self._oidc = oidc

    @property
    def open(self) -> bool:
        """Nobody is asked, because only this machine can come in."""
        return self._tokens is None and self._oidc is None

    @property
    def signs_in(self) -> bool:
        """The console's sign-in form makes sense."""
        return self._tokens is not None

    async def caller(self, request: Request, *, by_cookie: bool) -> Principal:
        """Who is calling.

        Raises:
          UnknownCallerError: Nobody we know.
          PeerAwayError: The OIDC issuer cannot be asked.
        """
        if self.open:
            return LOCAL
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if token and scheme.lower() == "bearer":
            return await self._bearer(token.strip())
        session = self.sessions.read(request.cookies.get(SESSION, "")) if by_cookie and self._tokens else None
        known = self._tokens.known(session.name, session.fingerprint) if session and self._tokens else None
        if known is None:
            raise UnknownCallerError("no token came with the request")
        return known

    def signed_in(self, token: str) -> tuple[Principal, str]:
        """The holder of an API token and the cookie of a new session. Raises: UnknownCallerError."""
        if self._tokens is None:
            raise UnknownCallerError("there are no API tokens here")
        principal = self._tokens.principal(token)
        session = Session(principal.name, self._tokens.fingerprint(principal.name))
        return principal, self.sessions.issued(session)

    async def _bearer(self, token: str) -> Principal:
        if self._tokens is not None and (self._oidc is None or token.startswith(f"{PREFIX}_")):
            return self._tokens.principal(token)
        if self._oidc is None:
            raise UnknownCallerError("unknown token")
        return await self._oidc.principal(token)


def gate(settings: Settings, clock: Clock) -> Gate:
    """The gate that the settings describe.

    Raises:
      OpenDoorError, AuthSettingError: They would let anybody in, or cannot be used.
    """
    settings.check()
    return Gate(
        Sessions(session_key(settings.session_key_file), settings.session_hours, clock),
        Tokens(settings.tokens_file) if settings.tokens_file else None,
        Oidc(settings.oidc_issuer, settings.oidc_audience, settings.oidc_role_claim, settings.oidc_role_prefix)
        if settings.oidc_issuer
        else None,
    )
