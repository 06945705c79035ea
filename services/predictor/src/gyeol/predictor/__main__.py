"""Serves a model: the place that puts the server together.

Torch is not loaded before the first request, so that a server nobody asks anything stays small.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import uvloop

from gyeol.chassis import logs, process, telemetry
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.errors import GyeolError, InvalidError
from gyeol.chassis.settings import load
from gyeol.predictor.engine.port import Engine
from gyeol.predictor.folder import ModelFolder, model_folder, verify
from gyeol.predictor.service import Serving
from gyeol.predictor.settings import Settings

_log = logs.get()


def main() -> NoReturn:
    """Exits 0 when it drained, 2 when settings or the model folder are wrong, 1 when it could not start or failed."""
    process.limit_arenas()
    try:
        settings = load(_flagged(_flags()))
        folder = model_folder(settings.model, settings.engine) if settings.model else None
        logs.configure(settings, "predictor")
        telemetry.configure(settings, "predictor")
    except InvalidError as error:
        sys.stderr.write(f"gyeol-predictor: {error}\n")
        sys.exit(2)
    code = 0
    try:
        uvloop.run(_live(settings, folder))
    except Exception as error:
        _log.error("service_failed", error=str(error), exc_info=None if isinstance(error, GyeolError) else error)
        code = 2 if isinstance(error, InvalidError) else 1
    telemetry.shutdown()
    _leave(code)


def _leave(code: int) -> NoReturn:
    """Ends at once: taking torch apart module by module takes seconds, and whoever stops a server waits for them."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


async def _live(settings: Settings, folder: ModelFolder | None) -> None:
    from gyeol.predictor.server import live

    clock = SystemClock()
    models = {}
    if folder is not None:
        models[settings.name] = Serving(
            settings.name, folder, lambda: _engine(folder, settings), clock, folder.within(settings.context)
        )
    await live(settings, models, clock)


def _engine(folder: ModelFolder, settings: Settings) -> Engine:
    if settings.verify:
        verify(folder)
    if folder.kind == "llama":
        from gyeol.predictor.engine.llama import LlamaEngine

        return LlamaEngine(folder, settings)
    from gyeol.predictor.engine.transformer import TransformerEngine

    return TransformerEngine(folder, settings)


def _flags() -> dict[str, Any]:
    """What the command line says, by name of the setting."""
    parser = argparse.ArgumentParser(prog="python -m gyeol.predictor", description="Serves a language model.")
    parser.add_argument("--model", type=Path, help="folder of the model")
    parser.add_argument("--name", help="what requests call it")
    parser.add_argument("--http-port", type=int, help="port of HTTP; 0 takes a free one")
    parser.add_argument("--grpc-port", type=int, dest="port", help="port of gRPC; 0 takes a free one")
    parser.add_argument("--preload", action="store_true", default=None, help="load the weights at start")
    return {name: value for name, value in vars(parser.parse_args()).items() if value is not None}


def _flagged(flags: dict[str, Any]) -> type[Settings]:
    """The settings with flags that win over the environment."""

    class Flagged(Settings):
        def __init__(self) -> None:
            super().__init__(**flags)

    return Flagged


if __name__ == "__main__":
    main()
