"""Console sessions and form tokens: cookies that only we can have written.

A session names its holder and the fingerprint of the API token it was opened with; taking the token away ends the session.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from gyeol.chassis.clock import Clock
from gyeol.gateway.errors import AuthSettingError

SESSION = "gyeol_session"
FORM = "gyeol_form"
_SHORTEST = 32


@dataclass(frozen=True, slots=True)
class Session:
    name: str
    fingerprint: str


class Sessions:
    """Signs and reads sessions.

    Args:
      key: Secret of at least 32 bytes.
      hours: How long a session lasts.
      clock: The time.
    """

    def __init__(self, key: bytes, hours: float, clock: Clock) -> None:
        self._key = key
        self._lasts = timedelta(hours=hours)
        self._clock = clock

    @property
    def seconds(self) -> int:
        return int(self._lasts.total_seconds())

    def issued(self, session: Session) -> str:
        """The cookie of a new session."""
        import jwt

        now = self._clock.now()
        claims = {"sub": session.name, "fpr": session.fingerprint, "iat": now, "exp": now + self._lasts}
        return jwt.encode(claims, self._key, algorithm="HS256")

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie; None when it is over or not ours."""
        import jwt

        try:
            claims = jwt.decode(
                cookie, self._key, algorithms=["HS256"], options={"verify_exp": False, "require": ["exp", "sub", "fpr"]}
            )
        except jwt.PyJWTError:
            return None
        if claims["exp"] <= self._clock.now().timestamp():
            return None
        return Session(str(claims["sub"]), str(claims["fpr"]))

    def form_token(self, cookie: str) -> str:
        """What our own pages put into their forms; another site cannot know it."""
        return hmac.new(self._key, b"form\0" + cookie.encode(), hashlib.sha256).hexdigest()

    def is_form_token(self, cookie: str, token: str) -> bool:
        return bool(cookie) and hmac.compare_digest(self.form_token(cookie), token)


def session_key(file: Path | None) -> bytes:
    """The secret of a file, or a new one.

    Raises:
      AuthSettingError: The file cannot be read or is too short.
    """
    if file is None:
        return secrets.token_bytes(_SHORTEST)
    try:
        key = file.read_bytes().strip()
    except OSError as error:
        key, problem = b"", f"cannot be read ({type(error).__name__})"
    else:
        problem = f"holds {len(key)} bytes"
    if len(key) < _SHORTEST:
        raise AuthSettingError("GATEWAY_SESSION_KEY_FILE", file, problem, f"Give at least {_SHORTEST} random bytes.")
    return key
