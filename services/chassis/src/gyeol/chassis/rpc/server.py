"""The server's end: health, reflection, outcomes, limits and a drain."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_health.v1._async import HealthServicer
from grpc_reflection.v1alpha import reflection

from gyeol.chassis import telemetry
from gyeol.chassis.errors import NotReadyError
from gyeol.chassis.rpc.interceptor import OutcomeInterceptor
from gyeol.chassis.rpc.option import LIMITS

LIVENESS = "liveness"
"""What a health check asks for to learn whether the process still answers at all, whatever becomes of its broker."""


@dataclass(frozen=True)
class Door:
    """A gRPC service: what the generated module offers to register it, and who answers."""

    register: Callable[[Any, Any], None]
    """For example `judge_pb2_grpc.add_JudgeServiceServicer_to_server`."""
    servicer: object


class Server:
    """A gRPC server.

    Args:
      host: Address to listen on.
      port: Port; 0 takes a free one.
      doors: The services it offers.
      prestop_seconds: Seconds between reporting NOT_SERVING and refusing new calls.
      drain_seconds: Seconds that calls in progress may take to finish.
      credentials: Mutual TLS; None listens in the clear.
    """

    def __init__(
        self,
        host: str,
        port: int,
        doors: Sequence[Door],
        *,
        prestop_seconds: float = 0.0,
        drain_seconds: float = 20.0,
        credentials: grpc.ServerCredentials | None = None,
    ) -> None:
        self._address = f"{host}:{port}"
        self._doors = doors
        self._prestop = prestop_seconds
        self._drain = drain_seconds
        self._credentials = credentials
        self._stopping = asyncio.Event()
        self._health = HealthServicer()
        self._names: list[str] = []
        self._server: Any = None
        self.port = port

    async def start(self) -> int:
        """Starts to serve; returns the port.

        Raises:
          NotReadyError: The port is taken.
        """
        interceptors: list[Any] = [OutcomeInterceptor(self._stopping)]
        if telemetry.on():
            from opentelemetry.instrumentation import grpc as instrumentation

            interceptors.insert(0, instrumentation.aio_server_interceptor())
        self._server = grpc.aio.server(
            interceptors=interceptors,
            options=(
                *LIMITS,
                ("grpc.so_reuseport", 0),
                ("grpc.max_connection_age_ms", 600_000),
                ("grpc.max_connection_age_grace_ms", 300_000),
                ("grpc.keepalive_permit_without_calls", 1),
                ("grpc.http2.min_ping_interval_without_data_ms", 30_000),
            ),
        )
        registrar = _Registrar(self._server)
        for door in self._doors:
            door.register(door.servicer, registrar)
        self._names = registrar.names
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (*self._names, "grpc.health.v1.Health", reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)
        try:
            if self._credentials is None:
                self.port = self._server.add_insecure_port(self._address)
            else:
                self.port = self._server.add_secure_port(self._address, self._credentials)
        except RuntimeError:
            raise NotReadyError(f"cannot listen on {self._address}: choose another port or free this one") from None
        await self._server.start()
        await self._health.set(LIVENESS, health_pb2.HealthCheckResponse.SERVING)
        await self.serving(True)
        return self.port

    async def serving(self, ready: bool) -> None:
        """Reports to health checks whether calls are welcome."""
        serving = health_pb2.HealthCheckResponse.SERVING if ready else health_pb2.HealthCheckResponse.NOT_SERVING
        for name in ("", *self._names):
            await self._health.set(name, serving)

    async def stop(self) -> None:
        """Reports NOT_SERVING, waits for load balancers, then lets calls in progress finish."""
        if self._server is None:
            return
        await self._health.enter_graceful_shutdown()
        await asyncio.sleep(self._prestop)
        self._stopping.set()
        await self._server.stop(self._drain)


class _Registrar:
    """Stands before the server while services register and remembers their names."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.names: list[str] = []

    def add_generic_rpc_handlers(self, handlers: Sequence[Any]) -> None:
        self.names.extend(handler.service_name() for handler in handlers)
        self._server.add_generic_rpc_handlers(handlers)

    def add_registered_method_handlers(self, service: str, handlers: Any) -> None:
        self._server.add_registered_method_handlers(service, handlers)
