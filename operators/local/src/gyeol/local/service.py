"""The services of one machine and the settings they are started with."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gyeol.local.home import Home
from gyeol.local.roster import Roster

BROKER = "nats"
DATABASE = "LEDGER_DATABASE_URL"
"""Environment variable that names another database for the ledger than the SQLite file of the state folder."""
_SPARING = {"OMP_NUM_THREADS": "1", "GRPC_VERBOSITY": "ERROR"}
"""Services wait for others most of the time: threads of number libraries would only cost memory."""


@dataclass(frozen=True)
class Service:
    """One service as a process."""

    name: str
    """Name of the deployable: module, log file and prefix of its settings."""
    http: bool = False
    """It also listens for browsers."""
    argv: tuple[str, ...] = ()
    """What is run; empty: the module `gyeol.<name>`."""

    @property
    def command(self) -> list[str]:
        return list(self.argv) or [sys.executable, "-m", f"gyeol.{self.name}"]


SERVICES = (
    Service("policy"),
    Service("ledger"),
    Service("judge"),
    Service("seed"),
    Service("candidate"),
    Service("gateway", http=True),
)


@dataclass(frozen=True)
class Surroundings:
    """What services of this state folder are told beside their ports."""

    home: Home
    spans: Path | None = None
    """Folder for traces; None: none are made."""
    log_level: str = "info"
    keys: tuple[str, ...] = ()
    """Environment variables that hold the keys of model endpoints."""

    def holds(self, environ: Mapping[str, str]) -> bool:
        """Whether a service that was started with this environment has the keys that a person has set by now."""
        return all(environ.get(name) == os.environ.get(name) for name in self.keys)

    @property
    def database(self) -> str:
        """URL of the ledger's database."""
        return os.environ.get(DATABASE) or f"sqlite:///{self.home.ledger}"

    @property
    def fingerprint(self) -> str:
        """Changes when services would have to be started anew."""
        told = [str(self.home.path), str(self.spans), self.log_level, sys.prefix, self.database]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def settings_of(service: Service, roster: Roster, around: Surroundings) -> dict[str, str]:
    """The environment variables of one service. Every service is told every address; it reads those it knows."""
    own = roster.entries[service.name]
    told: dict[str, str] = {
        "HOST": "127.0.0.1",
        "PORT": str(own.port),
        "METRICS_PORT": str(own.metrics_port),
        "NATS_URL": f"nats://{roster.address(BROKER)}",
        "LOG_LEVEL": around.log_level,
        "MODELS": str(around.home.models),
        "DATABASE_URL": around.database,
        "DRAIN_SECONDS": "5",
    }
    if service.http:
        told["HTTP_PORT"] = str(own.http_port)
    if around.spans is not None:
        told["TRACE_FILE"] = str(around.spans / f"{service.name}.jsonl")
    for peer in roster.entries:
        if peer not in (BROKER, service.name):
            told[f"{peer.upper()}_ADDRESS"] = roster.address(peer)
    return {f"{service.name.upper()}_{name}": value for name, value in told.items()} | _SPARING
