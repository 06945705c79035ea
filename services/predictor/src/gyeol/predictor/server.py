"""The life of the server: KServe's application with the OpenAI routes over HTTP, its servicer over gRPC, and a drain."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Coroutine, Iterator, Mapping
from typing import Any

import uvicorn

from gyeol.chassis import logs, process
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import NotReadyError
from gyeol.chassis.rpc import Door, Server
from gyeol.chassis.rpc.credential import server_credentials
from gyeol.predictor.disclosure import Disclosure
from gyeol.predictor.errors import LoadError
from gyeol.predictor.inference import kserve
from gyeol.predictor.inference.model import TextModel
from gyeol.predictor.inference.servicer import TextServicer
from gyeol.predictor.openai.route import application
from gyeol.predictor.service import Serving
from gyeol.predictor.settings import Settings

_log = logs.get()


class _DataPlane(kserve.DataPlane):  # type: ignore[misc]
    stopping = False

    async def ready(self) -> bool:
        """KServe's own is always ready; a server is when its models are, until it stops."""
        models = self.model_registry.get_models()
        return not self.stopping and all([await self.model_registry.is_model_ready(name) for name in models])


class _Fixed(kserve.ModelRepositoryExtension):  # type: ignore[misc]
    """A predictor serves the model it was started with; nobody may take it away over HTTP."""

    async def load(self, model_name: str) -> None:
        raise NotImplementedError(f"{model_name}: models are loaded by deploying them")

    async def unload(self, model_name: str) -> None:
        raise NotImplementedError(f"{model_name}: models are unloaded by deleting their deployment")


class _Http(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for the whole server, not for one of its doors."""
        yield


async def live(settings: Settings, models: Mapping[str, Serving], clock: Clock) -> None:
    """Serves until SIGTERM or SIGINT, then lets requests in hand finish.

    Raises:
      NotReadyError: A port is taken.
      GyeolError: The model cannot be loaded.
    """
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    plane = _plane(settings, models)
    http, grpc = _http(settings, models, plane, clock), _grpc(settings, plane)
    listener = _listener(settings.host, settings.http_port)
    grpc_port, http_port = await grpc.start(), listener.getsockname()[1]
    serving_http = asyncio.create_task(http.serve(sockets=[listener]))
    _log.info("service_ready", http_port=http_port, port=grpc_port, models=list(models))
    with process.announced(settings.ready_file, grpc_port, http_port):
        failures = [_failure(serving, preload=settings.preload) for serving in models.values()]
        await _first(stopping.wait(), serving_http, *failures)
        plane.stopping = True
        await asyncio.gather(_stop(http, settings.prestop_seconds), serving_http, grpc.stop())
    for serving in models.values():
        await serving.close()
        if serving.failure is not None:
            raise serving.failure
    _log.info("service_stopped")


def _plane(settings: Settings, models: Mapping[str, Serving]) -> _DataPlane:
    registry = kserve.ModelRepository()
    for serving in models.values():
        registry.update(TextModel(serving, preloaded=settings.preload, max_tokens=settings.max_tokens))
    return _DataPlane(model_registry=registry)


def _http(settings: Settings, models: Mapping[str, Serving], plane: _DataPlane, clock: Clock) -> _Http:
    disclosure = Disclosure(settings.disclosure, settings.notice)
    kserve.app.mount("/openai/v1", application(models, clock, disclosure, max_tokens=settings.max_tokens))
    kserve.RESTServer(
        "kserve.model_server:app", plane, _Fixed(plane.model_registry), settings.http_port
    ).create_application()
    drain = int(settings.drain_seconds)
    return _Http(
        uvicorn.Config(kserve.app, log_config=None, access_log=False, lifespan="off", timeout_graceful_shutdown=drain)
    )


def _grpc(settings: Settings, plane: _DataPlane) -> Server:
    return Server(
        settings.host,
        settings.port,
        [Door(kserve.add_GRPCInferenceServiceServicer_to_server, TextServicer(plane, _Fixed(plane.model_registry)))],
        prestop_seconds=settings.prestop_seconds,
        drain_seconds=settings.drain_seconds,
        credentials=server_credentials(settings),
    )


async def _failure(serving: Serving, *, preload: bool) -> None:
    """Returns when a model turns out not to be loadable."""
    if preload:
        with contextlib.suppress(LoadError):
            await serving.engine()
    await serving.failed.wait()


async def _stop(http: _Http, prestop_seconds: float) -> None:
    await asyncio.sleep(prestop_seconds)
    http.should_exit = True


async def _first(*events: Coroutine[Any, Any, Any] | asyncio.Task[None]) -> None:
    """Returns when one of them happens; tasks go on, what only waited does not."""
    waiting = [event if isinstance(event, asyncio.Task) else asyncio.create_task(event) for event in events]
    await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    for task, event in zip(waiting, events, strict=True):
        if task is not event:
            task.cancel()


def _listener(host: str, port: int) -> socket.socket:
    try:
        return socket.create_server((host, port), backlog=512)
    except OSError as error:
        raise NotReadyError(
            f"cannot listen on {host}:{port} ({error.strerror}): choose another --http-port or free this one"
        ) from None
