"""The life of a service: start, serve, drain on SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final, NoReturn

import uvloop

from gyeol.chassis import logs, metrics, process, telemetry
from gyeol.chassis.bus import Bus
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.errors import GyeolError, InternalError, InvalidError
from gyeol.chassis.outcomes import BAD_INPUT, exit_status
from gyeol.chassis.parts import Doors, Parts, Worker
from gyeol.chassis.rpc import Server
from gyeol.chassis.rpc.credential import server_credentials
from gyeol.chassis.settings import ServiceSettings, SettingsT, load
from gyeol.chassis.watch import Watch

__all__ = ["Compose", "Doors", "Parts", "Worker", "serve"]

_log = logs.get()
_MARGIN: Final = 5.0

Compose = Callable[[SettingsT, Parts], Awaitable[Doors]]
"""Puts a service together."""


def serve(name: str, settings: type[SettingsT], compose: Compose[SettingsT], *, broker: bool = True) -> NoReturn:
    """Runs a service until SIGTERM or SIGINT.

    Exits 0 when it drained, 2 when its settings or input are wrong or missing, 1 when it could not start or a part of it failed.

    Args:
      name: The service's one word.
      settings: Read from the environment.
      compose: Puts the service together.
      broker: Whether it connects to NATS.
    """
    process.limit_arenas()
    try:
        read = load(settings)
        logs.configure(read, name)
        telemetry.configure(read, name)
    except InvalidError as error:
        sys.stderr.write(f"gyeol-{name}: {error}\n")
        sys.exit(BAD_INPUT)
    try:
        uvloop.run(_live(name, read, compose, broker))
    except asyncio.CancelledError:
        _log.info("service_stopped_at_once")
    except Exception as error:
        _log.error("service_failed", error=str(error), exc_info=None if isinstance(error, GyeolError) else error)
        sys.exit(exit_status(error))
    finally:
        telemetry.shutdown()
    sys.exit(0)


async def _live(
    name: str, settings: ServiceSettings, compose: Callable[[Any, Parts], Awaitable[Doors]], broker: bool
) -> None:
    signals = process.Signals()
    async with contextlib.AsyncExitStack() as stack:
        parts = Parts(name, settings, SystemClock(), signals.stopping, stack)
        life = asyncio.create_task(_serve(parts, compose, signals, broker))
        signals.obeyed_by(life)
        await life


async def _connected(parts: Parts) -> Bus:
    bus = await Bus.connect(parts.settings, parts.name)
    parts.stack.push_async_callback(bus.close)
    await bus.ensure()
    return bus


async def _serve(
    parts: Parts, compose: Callable[[Any, Parts], Awaitable[Doors]], signals: process.Signals, broker: bool
) -> None:
    settings = parts.settings
    parts.broker = await _connected(parts) if broker else None
    doors = await compose(settings, parts)
    server = Server(
        settings.host,
        settings.port,
        doors.servicers,
        prestop_seconds=settings.prestop_seconds,
        drain_seconds=settings.drain_seconds,
        credentials=server_credentials(settings),
    )
    port = await server.start()
    metrics_port = metrics.serve(settings.host, settings.metrics_port) if settings.metrics_port else 0
    workers = [asyncio.create_task(worker.run()) for worker in doors.workers]
    watch = asyncio.create_task(Watch(parts.broker, doors.workers, server).run())
    signals.started = True
    _log.info("service_ready", port=port, metrics_port=metrics_port)
    with process.announced(settings.ready_file, port, metrics_port):
        reason = await _until_first(signals.stopping, parts.broker, workers)
        signals.stopping.set()
        watch.cancel()
        for worker in doors.workers:
            worker.stop()
        await asyncio.gather(_ended(workers, settings.drain_seconds + _MARGIN), server.stop())
    for task in workers:
        if not task.cancelled() and (error := task.exception()) is not None:
            raise error
    if reason:
        raise InternalError(reason)
    _log.info("service_stopped")


async def _ended(workers: list[asyncio.Task[None]], seconds: float) -> None:
    """Waits for the workers; whoever is still busy then is cancelled."""
    if not workers:
        return
    _, late = await asyncio.wait(workers, timeout=seconds)
    for task in late:
        _log.error("worker_cancelled")
        task.cancel()
    await asyncio.wait(workers)


async def _until_first(stopping: asyncio.Event, bus: Bus | None, workers: list[asyncio.Task[None]]) -> str:
    """Returns when the service is told to stop, or has to; then with the reason."""
    told = asyncio.create_task(stopping.wait())
    closed = asyncio.create_task(bus.closed.wait()) if bus else asyncio.create_task(stopping.wait())
    await asyncio.wait([told, closed, *workers], return_when=asyncio.FIRST_COMPLETED)
    reason = "a worker ended although nobody stopped it"
    if told.done():
        reason = ""
    elif closed.done():
        reason = "the connection to NATS was closed for good: see bus_closed in the log"
    told.cancel()
    closed.cancel()
    return reason
