"""One forge's HTTP API: authentication, retries, and errors that say what to do."""

from __future__ import annotations

from typing import Any

import httpx
import stamina

from gyeol.promote.errors import CredentialError, ForgeError

MARK = "<!-- gyeol-gate-report -->"
"""Stands in the comment that promotion owns."""
_ATTEMPTS = 4


class _RetryError(Exception):
    """The server is overloaded or down for a moment."""


class Api:
    """Calls below a base URL with a fixed header."""

    def __init__(self, base_url: str, headers: dict[str, str]) -> None:
        self._client = httpx.Client(base_url=base_url.rstrip("/"), headers=headers, timeout=20.0, follow_redirects=True)

    def close(self) -> None:
        self._client.close()

    def get(self, path: str, **parameters: Any) -> Any:
        return self._call("GET", path, params=parameters)

    def post(self, path: str, **body: Any) -> Any:
        return self._call("POST", path, json=body)

    def patch(self, path: str, **body: Any) -> Any:
        return self._call("PATCH", path, json=body)

    def put(self, path: str, **body: Any) -> Any:
        return self._call("PUT", path, json=body)

    def _call(self, method: str, path: str, **options: Any) -> Any:
        try:
            for attempt in stamina.retry_context(
                on=(httpx.TransportError, _RetryError), attempts=_ATTEMPTS, timeout=60, wait_initial=0.3, wait_max=4.0
            ):
                with attempt:
                    answer = self._client.request(method, path, **options)
                    if answer.status_code == 429 or answer.status_code >= 500:
                        raise _RetryError(f"{answer.status_code}")
        except (httpx.TransportError, _RetryError) as error:
            raise ForgeError(
                f"{method} {self._client.base_url}{path}: {error}; nothing was half done, try again later"
            ) from error
        if answer.status_code in (401, 403):
            raise CredentialError(
                f"{method} {path}: {answer.status_code}; the token is wrong, has expired or lacks a scope"
            )
        if answer.status_code >= 400:
            raise ForgeError(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        return answer.json() if answer.content else None
