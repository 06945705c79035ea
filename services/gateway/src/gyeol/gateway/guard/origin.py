"""Keeps out requests by a name that is not ours, and writes from pages of other sites."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.requests import Request

from gyeol.gateway.errors import ForeignOriginError, HostUnknownError

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class Origins:
    """Args:
    hosts: Host names that requests may name, without ports; empty: any.
    """

    def __init__(self, hosts: Sequence[str]) -> None:
        self._hosts = frozenset(hosts)

    def check(self, request: Request) -> None:
        """Browsers say where a write comes from; programs say nothing and bring a token instead.

        Raises:
          HostUnknownError: The request names a host that is not ours.
          ForeignOriginError: Another site's page is writing.
        """
        host = request.headers.get("host", "")
        if self._hosts and _name(host) not in self._hosts:
            raise HostUnknownError(host)
        if request.method in _SAFE:
            return
        origin = request.headers.get("origin")
        foreign = origin is not None and urlsplit(origin).netloc != host
        if foreign or request.headers.get("sec-fetch-site") in {"cross-site", "same-site"}:
            raise ForeignOriginError(origin or "unknown")


def _name(host: str) -> str:
    return host.rsplit(":", 1)[0] if host.rfind(":") > host.rfind("]") else host
