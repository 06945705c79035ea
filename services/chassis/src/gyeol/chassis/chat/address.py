"""Which addresses may be called: model endpoints, not the machine's own metadata."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from gyeol.chassis.errors import InvalidError

_METADATA: Final = frozenset({"100.100.100.200", "fd00:ec2::254", "192.0.0.192"})
_METADATA_HOSTS: Final = frozenset({"metadata", "metadata.google.internal", "instance-data"})


def allowed(address: str) -> bool:
    """Whether an IP address may be called: not link-local, multicast, unspecified or a cloud's metadata address."""
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    return not (parsed.is_link_local or parsed.is_multicast or parsed.is_unspecified or str(parsed) in _METADATA)


def check_url(url: str) -> None:
    """Refuses what is not the URL of a model endpoint.

    Raises:
      InvalidError: Names the URL and the remedy.
    """
    try:
        parts = urlsplit(url)
        host, user = parts.hostname, parts.username or parts.password
        _ = parts.port
    except ValueError:
        raise InvalidError(f"baseUrl {url!r}: not a URL; write http://host[:port]/path or https://...") from None
    if user:
        raise InvalidError("baseUrl holds a user or password: remove it and give the key by apiKeyEnv")
    if parts.scheme not in ("http", "https") or not host:
        raise InvalidError(f"baseUrl {url!r}: write http://host[:port]/path or https://host[:port]/path")
    if parts.query or parts.fragment:
        raise InvalidError(f"baseUrl {url!r}: leave out what follows ? or #")
    if host.lower().rstrip(".") in _METADATA_HOSTS or not _may_be_called(host):
        raise InvalidError(f"baseUrl {url!r}: link-local and metadata addresses are not allowed")


def _may_be_called(host: str) -> bool:
    try:
        return allowed(host)
    except ValueError:
        return True  # a name: what it resolves to is checked when it is called
