"""How to reach the broker."""

from __future__ import annotations

import ssl
from typing import Any

from gyeol.chassis.errors import InvalidError
from gyeol.chassis.settings import ServiceSettings


def options(settings: ServiceSettings, name: str) -> dict[str, Any]:
    """Arguments of `nats.connect`.

    Attempts to reconnect never end: after the client's default of sixty it would be closed and the process a zombie.

    Raises:
      InvalidError: A file that a setting names cannot be read.
    """
    made: dict[str, Any] = {
        "servers": [url.strip() for url in settings.nats_url.split(",")],
        "name": f"gyeol-{name}",
        "max_reconnect_attempts": -1,
        "reconnect_time_wait": 0.5,
        "connect_timeout": 5,
        "ping_interval": 10,
        "max_outstanding_pings": 2,
        "inbox_prefix": f"_INBOX_{name}",
        "pending_size": 16 << 20,
    }
    try:
        if settings.nats_credentials is not None:
            settings.nats_credentials.open("rb").close()
            key = "user_credentials" if settings.nats_credentials.suffix == ".creds" else "nkeys_seed"
            made[key] = str(settings.nats_credentials)
        if settings.nats_ca is not None:
            context = ssl.create_default_context(cafile=str(settings.nats_ca))
            if settings.nats_certificate is not None:
                context.load_cert_chain(settings.nats_certificate, settings.nats_key)
            made["tls"] = context
    except OSError as error:
        raise InvalidError(f"nats_credentials, nats_ca, nats_certificate or nats_key: {error}") from None
    return made
