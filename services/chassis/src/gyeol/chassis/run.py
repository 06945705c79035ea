"""The life of a service: start, serve, drain on SIGTERM."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol

import grpc.aio

from gyeol.chassis import logs, metrics, telemetry
from gyeol.chassis.bus import Bus
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import GyeolError
from gyeol.chassis.rpc import Door, Server, channel
from gyeol.chassis.settings import ServiceSettings, SettingsT, load

_log = logs.get()


class Worker(Protocol):
    """Something that works until it is told to stop: a consumer, a mover, an HTTP server."""

    async def run(self) -> None: ...

    def stop(self) -> None: ...


@dataclass
class Parts:
    """What a service is put together from."""

    name: str
    bus: Bus
    clock: Clock
    stack: contextlib.AsyncExitStack
    """Enter what has to be closed when the service stops."""

    def channel(self, address: str) -> grpc.aio.Channel:
        """A channel to a peer, closed when the service stops."""
        opened = channel(address)
        self.stack.push_async_callback(opened.close)
        return opened


@dataclass
class Doors:
    """What a service offers once it is put together."""

    servicers: Sequence[Door] = ()
    workers: Sequence[Worker] = field(default_factory=tuple)


Compose = Callable[[SettingsT, Parts], Awaitable[Doors]]


def serve(name: str, settings: type[SettingsT], compose: Compose[SettingsT]) -> NoReturn:
    """Runs a service until SIGTERM or SIGINT. Exits 0 when it drained, 2 when its settings are wrong, 1 when it failed."""
    try:
        read = load(settings)
    except GyeolError as error:
        sys.stderr.write(f"gyeol-{name}: {error}\n")
        sys.exit(2)
    logs.configure(read, name)
    telemetry.configure(read, name)
    try:
        asyncio.run(_live(name, read, compose))
    except GyeolError as error:
        _log.error("service_failed", error=str(error), meaning=error.meaning.value)
        sys.exit(1)
    except Exception as error:
        _log.error("service_failed", exc_info=error)
        sys.exit(1)
    finally:
        telemetry.shutdown()
    sys.exit(0)


async def _live(name: str, settings: ServiceSettings, compose: Callable[[Any, Parts], Awaitable[Doors]]) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with contextlib.AsyncExitStack() as stack:
        bus = await Bus.connect(settings, name)
        stack.push_async_callback(bus.close)
        await bus.ensure()
        doors = await compose(settings, Parts(name, bus, SystemClock(), stack))
        server = Server(
            settings.host,
            settings.port,
            doors.servicers,
            prestop_seconds=settings.prestop_seconds,
            drain_seconds=settings.drain_seconds,
        )
        port = await server.start()
        metrics_port = metrics.serve(settings.host, settings.metrics_port) if settings.metrics_port else 0
        workers = [asyncio.create_task(worker.run()) for worker in doors.workers]
        _announce(settings, port, metrics_port)
        stopping = asyncio.create_task(stopped.wait())
        await asyncio.wait([stopping, *workers], return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        for worker in doors.workers:
            worker.stop()
        await server.stop()
        results = await asyncio.gather(*workers, return_exceptions=True)
        _log.info("service_stopped")
        for result in results:
            if isinstance(result, Exception):
                raise result


def _announce(settings: ServiceSettings, port: int, metrics_port: int) -> None:
    gc.collect()
    gc.freeze()
    _log.info("service_ready", port=port, metrics_port=metrics_port)
    if settings.ready_file is not None:
        scratch = settings.ready_file.with_suffix(".part")
        scratch.write_text(json.dumps({"pid": os.getpid(), "port": port, "metrics_port": metrics_port}))
        scratch.replace(settings.ready_file)
