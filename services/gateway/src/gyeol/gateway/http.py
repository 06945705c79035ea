"""The HTTP door as a worker of the service: it starts with it and drains with it."""

from __future__ import annotations

import contextlib
import socket
from typing import Any

import uvicorn

from gyeol.chassis import logs
from gyeol.chassis.errors import NotReadyError

_log = logs.get()


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """The service as a whole obeys signals; a second reader of them would take them away from it."""
        yield


class HttpServer:
    """Args:
    app: The ASGI application.
    host: Address to listen on.
    port: Port; 0 takes a free one.
    forwarded_allow_ips: Proxies whose X-Forwarded-* headers are believed.
    drain_seconds: Seconds that requests in progress may take after `stop`.
    """

    def __init__(self, app: Any, host: str, port: int, *, forwarded_allow_ips: str, drain_seconds: float) -> None:
        self._socket = _bound(host, port)
        self.port = int(self._socket.getsockname()[1])
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=forwarded_allow_ips,
            timeout_graceful_shutdown=max(1, round(drain_seconds)),
            timeout_keep_alive=20,
            limit_concurrency=512,
            h11_max_incomplete_event_size=32 * 1024,
            ws="none",
            lifespan="off",
        )
        self._server = _Server(config)

    async def run(self) -> None:
        """Serves until `stop`."""
        _log.info("http_ready", port=self.port)
        await self._server.serve(sockets=[self._socket])

    def stop(self) -> None:
        self._server.should_exit = True


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
    except OSError as error:
        opened.close()
        raise NotReadyError(
            f"cannot listen on {host}:{port} ({error.strerror}): choose another GATEWAY_HTTP_PORT or free this one"
        ) from None
    opened.set_inheritable(True)
    return opened
