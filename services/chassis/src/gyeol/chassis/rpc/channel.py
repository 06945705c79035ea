"""The client's end."""

from __future__ import annotations

import json
from typing import Any, Final

import grpc
import grpc.aio

from gyeol.chassis import telemetry
from gyeol.chassis.rpc.option import LIMITS

_SERVICE_CONFIG: Final = json.dumps(
    {
        "loadBalancingConfig": [{"round_robin": {}}],
        "methodConfig": [{"name": [{}], "waitForReady": False, "timeout": "300s"}],
    }
)
"""Behind a headless Service every pod gets calls; a call without a deadline of its own ends after five minutes."""

_OPTIONS: Final = (
    *LIMITS,
    ("grpc.service_config", _SERVICE_CONFIG),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.enable_http_proxy", 0),
)


def channel(address: str) -> grpc.aio.Channel:
    """Opens a channel to a peer, `host:port` or a gRPC target such as `dns:///judge:50051`. Keep it for life.

    It does not connect before the first call, so the peer may start later.
    """
    interceptors: list[Any] = []
    if telemetry.on():
        from opentelemetry.instrumentation.grpc import aio_client_interceptors

        interceptors = list(aio_client_interceptors())
    return grpc.aio.insecure_channel(address, options=_OPTIONS, interceptors=interceptors)
