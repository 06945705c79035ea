"""The life of the server: KServe's application with the OpenAI routes over HTTP, its servicer over gRPC, and a drain."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterable, Iterator, Mapping

import uvicorn

from gyeol.chassis import logs, process
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import NotReadyError
from gyeol.chassis.rpc import Door, Server
from gyeol.chassis.rpc.credential import server_credentials
from gyeol.predictor.disclosure import Disclosure
from gyeol.predictor.inference import library
from gyeol.predictor.inference.model import TextModel
from gyeol.predictor.inference.servicer import TextServicer
from gyeol.predictor.openai.route import application
from gyeol.predictor.service import Serving
from gyeol.predictor.settings import Settings

_log = logs.get()


class _DataPlane(library.DataPlane):  # type: ignore[misc]
    async def ready(self) -> bool:
        """KServe's own is always ready; a server is when its models are."""
        models = self.model_registry.get_models()
        return all([await self.model_registry.is_model_ready(name) for name in models])


class _Http(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for the whole server, not for one of its doors."""
        yield


async def live(settings: Settings, models: Mapping[str, Serving], clock: Clock) -> None:
    """Serves until SIGTERM or SIGINT, then lets requests in hand finish.

    Raises:
      NotReadyError: A port is taken.
      LoadError: The model was to be loaded at start and cannot be.
    """
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    registry = library.ModelRepository()
    for serving in models.values():
        registry.update(TextModel(serving, preloaded=settings.preload, max_tokens=settings.max_tokens))
    plane, extension = _DataPlane(model_registry=registry), library.ModelRepositoryExtension(model_registry=registry)
    disclosure = Disclosure(settings.disclosure, settings.notice)
    library.app.mount("/openai/v1", application(models, clock, disclosure, max_tokens=settings.max_tokens))
    library.RESTServer("kserve.model_server:app", plane, extension, settings.http_port).create_application()
    listener = _listener(settings.host, settings.http_port)
    http = _Http(
        uvicorn.Config(
            library.app,
            log_config=None,
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=int(settings.drain_seconds),
        )
    )
    grpc = Server(
        settings.host,
        settings.port,
        [Door(library.add_GRPCInferenceServiceServicer_to_server, TextServicer(plane, extension))],
        drain_seconds=settings.drain_seconds,
        credentials=server_credentials(settings),
    )
    grpc_port, http_port = await grpc.start(), listener.getsockname()[1]
    serving_http = asyncio.create_task(http.serve(sockets=[listener]))
    loading = asyncio.create_task(_load(models.values() if settings.preload else ()))
    _log.info("service_ready", http_port=http_port, port=grpc_port, models=list(models))
    with process.announced(settings.ready_file, grpc_port, http_port):
        told = asyncio.create_task(stopping.wait())
        await asyncio.wait(
            (told, serving_http, *([loading] if settings.preload else [])), return_when=asyncio.FIRST_COMPLETED
        )
        if loading.done() and loading.exception() is None:
            await asyncio.wait((told, serving_http), return_when=asyncio.FIRST_COMPLETED)
        told.cancel()
        http.should_exit = True
        await asyncio.gather(serving_http, grpc.stop())
    for serving in models.values():
        await asyncio.to_thread(serving.close)
    if loading.done():
        await loading
    _log.info("service_stopped")


async def _load(models: Iterable[Serving]) -> None:
    for serving in models:
        await serving.engine()


def _listener(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=512)
    except OSError as error:
        raise NotReadyError(
            f"cannot listen on {host}:{port} ({error.strerror}): choose another --http-port or free this one"
        ) from None
