"""JSON Web Tokens of an OpenID Connect issuer. Keys come from the issuer and are kept for five minutes."""

from __future__ import annotations

import asyncio
import json
import urllib.request
from typing import Any
from urllib.parse import urlsplit

from gyeol.gateway.auth.principal import Principal, Role, role_of
from gyeol.gateway.errors import AuthSettingError, PeerAwayError, UnknownCallerError
from gyeol.gateway.settings import is_loopback

_ALGORITHMS = ["RS256", "RS384", "RS512", "ES256", "ES384", "EdDSA"]
"""Signatures only: an issuer's public key must never be taken for a shared secret."""

_SECONDS = 5


class Oidc:
    """Checks the tokens of one issuer.

    Args:
      issuer: As in the tokens' `iss`.
      audience: As in the tokens' `aud`.
      claim: Where the roles are, with dots.
      prefix: What stands before a role's name.
    """

    def __init__(self, issuer: str, audience: str, claim: str, prefix: str) -> None:
        parts = urlsplit(issuer)
        if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
            raise AuthSettingError("GATEWAY_OIDC_ISSUER", issuer, "not an https URL", "Name the issuer's URL.")
        self._issuer = issuer
        self._audience = audience
        self._claim = claim.split(".")
        self._prefix = prefix
        self._keys: Any = None

    async def principal(self, token: str) -> Principal:
        """Whose token it is.

        Raises:
          UnknownCallerError: It is not valid, or grants no role here.
          PeerAwayError: The issuer's keys cannot be fetched.
        """
        return await asyncio.to_thread(self._principal, token)

    def _principal(self, token: str) -> Principal:
        import jwt

        try:
            key = self._signing_keys().get_signing_key_from_jwt(token)
            claims = jwt.decode(
                token,
                key,
                algorithms=_ALGORITHMS,
                audience=self._audience,
                issuer=self._issuer,
                leeway=30,
                options={"require": ["exp", "iat", "iss", "aud", "sub"]},
            )
        except jwt.PyJWKClientConnectionError:
            raise PeerAwayError("oidc", self._issuer) from None
        except jwt.PyJWTError as error:
            raise UnknownCallerError(f"the token is not valid ({type(error).__name__})") from None
        name = str(claims.get("preferred_username") or claims.get("email") or claims["sub"])
        return Principal(name, self._role(claims))

    def _signing_keys(self) -> Any:
        import jwt

        if self._keys is None:
            url = f"{self._issuer.rstrip('/')}/.well-known/openid-configuration"
            try:
                with urllib.request.urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310 (scheme checked above)
                    uri = str(json.load(answer)["jwks_uri"])
            except (OSError, ValueError, KeyError):
                raise PeerAwayError("oidc", self._issuer) from None
            self._keys = jwt.PyJWKClient(uri, lifespan=300, timeout=_SECONDS)
        return self._keys

    def _role(self, claims: dict[str, Any]) -> Role:
        value: Any = claims
        for part in self._claim:
            value = value.get(part) if isinstance(value, dict) else None
        words = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        roles = [role_of(str(word).removeprefix(self._prefix)) for word in words if str(word).startswith(self._prefix)]
        known = [role for role in roles if role is not None]
        if not known:
            raise UnknownCallerError(f"the token grants no role in the claim {'.'.join(self._claim)!r}")
        return max(known)
