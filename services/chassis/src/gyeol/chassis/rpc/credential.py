"""Mutual TLS, when its files are set."""

from __future__ import annotations

from pathlib import Path

import grpc

from gyeol.chassis.errors import InvalidError
from gyeol.chassis.settings import ServiceSettings


def _files(settings: ServiceSettings) -> tuple[bytes, bytes, bytes] | None:
    paths = (settings.tls_ca, settings.tls_key, settings.tls_certificate)
    if paths == (None, None, None):
        return None
    if None in paths:
        raise InvalidError("tls_ca, tls_key and tls_certificate belong together: set all three or none")
    ca, key, certificate = (_read(path) for path in paths if path is not None)
    return ca, key, certificate


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InvalidError(f"{path}: cannot be read ({error.strerror}): correct the tls_* setting") from None


def server_credentials(settings: ServiceSettings) -> grpc.ServerCredentials | None:
    """Shows the service's certificate and asks every client for one."""
    if (files := _files(settings)) is None:
        return None
    ca, key, certificate = files
    return grpc.ssl_server_credentials([(key, certificate)], root_certificates=ca, require_client_auth=True)


def channel_credentials(settings: ServiceSettings) -> grpc.ChannelCredentials | None:
    """Asks the peer for its certificate and shows the service's own."""
    if (files := _files(settings)) is None:
        return None
    ca, key, certificate = files
    return grpc.ssl_channel_credentials(root_certificates=ca, private_key=key, certificate_chain=certificate)
