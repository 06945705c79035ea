"""Models, served by processes of the predictor."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from gyeol.local.errors import BusyError, ServiceDownError
from gyeol.local.home import Home
from gyeol.local.log import last_words, size
from gyeol.local.port import LOOPBACK, free_port, is_free, listener
from gyeol.local.process import Identity, end_groups, start
from gyeol.reconcile.seen import Serving

PORTS = range(21000, 29000)
"""Below the ports that the operating system gives to anybody who asks for one."""
GRACE_SECONDS = 5.0


@dataclass
class _Engine:
    process: subprocess.Popen[bytes]
    identity: Identity
    port: int
    digest: str
    log_start: int
    """Bytes in the log before."""
    ready: bool = False


def steady_port(key: str) -> int:
    """The same port for the same key: records on their way name the address of the model they are about."""
    return PORTS[zlib.crc32(key.encode()) % len(PORTS)]


class Engines:
    """The models that one command serves, by name."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._engines: dict[str, _Engine] = {}

    def url(self, name: str) -> str:
        return f"http://{LOOPBACK}:{self._engines[name].port}/openai/v1"

    def urls(self) -> Mapping[str, str]:
        return {name: self.url(name) for name in self._engines}

    def start(self, name: str, model: Path, *, digest: str, port: int) -> None:
        """Starts to serve the model in a folder.

        Args:
          name: What requests call the model, and the name of the log.
          model: Folder of weights.
          digest: What the server must say it serves; empty: not checked.
          port: Where it listens.

        Raises:
          BusyError: Somebody else listens there.
        """
        if not is_free(port):
            raise BusyError(
                f"port {port}, where the model {name} is to be served, is taken by {listener(port)}; end that first"
            )
        argv = [sys.executable, "-m", "gyeol.predictor", "--model", str(model), "--name", name]
        argv += ["--http-port", str(port), "--grpc-port", str(free_port(taken=[port])), "--preload"]
        threads = {"OMP_NUM_THREADS": str(os.cpu_count() or 1), "TOKENIZERS_PARALLELISM": "false"}
        log = self._home.log(f"predictor-{name}")
        before = size(log)
        process = start(argv, home=self._home.path, log=log, env=threads)
        self._engines[name] = _Engine(process, Identity.of(process.pid), port, digest, before)

    async def seen(self, name: str) -> Serving:
        """Where the server of a model is.

        Raises:
          ServiceDownError: It ended, or serves something else.
        """
        engine = self._engines.get(name)
        if engine is None:
            return Serving.ABSENT
        if engine.process.poll() is not None:
            del self._engines[name]
            log = self._home.log(f"predictor-{name}")
            if engine.ready:
                return Serving.ABSENT  # it worked before: start it again
            why = last_words(log, since=engine.log_start)
            raise ServiceDownError(f"the model {name} cannot be served: {why} (log: {log})")
        if not engine.ready:
            engine.ready = await self._answers(name, engine)
        return Serving.READY if engine.ready else Serving.STARTING

    def stop(self, name: str) -> None:
        """Ends the server of a model."""
        engine = self._engines.pop(name, None)
        if engine is not None:
            end_groups([engine.identity], grace=GRACE_SECONDS)
            engine.process.poll()

    def close(self) -> None:
        """Ends every server."""
        for name in list(self._engines):
            self.stop(name)

    async def _answers(self, name: str, engine: _Engine) -> bool:
        try:
            async with httpx.AsyncClient(trust_env=False, timeout=5.0) as client:
                answer = await client.get(f"{self.url(name)}/models")
        except httpx.HTTPError:
            return False
        if answer.status_code != httpx.codes.OK:
            return False
        served = {model["id"]: str(model.get("digest", "")) for model in answer.json()["data"]}
        if name not in served:
            raise ServiceDownError(f"port {engine.port} serves {', '.join(served)}, not {name}; end that server")
        if engine.digest and served[name] and served[name] != engine.digest:
            raise ServiceDownError(
                f"{name} is served with digest {served[name]}, but {engine.digest} was made; fetch it again"
            )
        return True
