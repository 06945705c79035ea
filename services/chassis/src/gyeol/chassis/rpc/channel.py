"""The client's end."""

from __future__ import annotations

import json
from typing import Any, Final

import grpc
import grpc.aio

from gyeol.chassis import telemetry
from gyeol.chassis.rpc.deadline import StreamDeadline, UnaryDeadline
from gyeol.chassis.rpc.option import LIMITS

_SERVICE_CONFIG: Final = json.dumps(
    {
        "loadBalancingConfig": [{"round_robin": {}}],
        "methodConfig": [
            {
                "name": [{}],
                "retryPolicy": {
                    "maxAttempts": 3,
                    "initialBackoff": "0.2s",
                    "maxBackoff": "1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ],
    }
)
"""Behind a headless Service every pod gets calls, and a pod that goes is not missed: every call may be repeated."""

_OPTIONS: Final = (
    *LIMITS,
    ("grpc.service_config", _SERVICE_CONFIG),
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.max_reconnect_backoff_ms", 5_000),
    ("grpc.enable_http_proxy", 0),
)


def channel(address: str, credentials: grpc.ChannelCredentials | None = None) -> grpc.aio.Channel:
    """Opens a channel to a peer, `host:port` or a gRPC target such as `dns:///judge:50051`. Keep it for life.

    It connects at the first call, so the peer may start later.
    """
    interceptors: list[Any] = [UnaryDeadline(), StreamDeadline()]
    if telemetry.on():
        from opentelemetry.instrumentation import grpc as instrumentation

        interceptors[:0] = list(instrumentation.aio_client_interceptors())
    if credentials is None:
        return grpc.aio.insecure_channel(address, options=_OPTIONS, interceptors=interceptors)
    return grpc.aio.secure_channel(address, credentials, options=_OPTIONS, interceptors=interceptors)
