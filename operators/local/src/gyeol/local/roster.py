"""up.json: which processes are up, where they listen and who started them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Final

from pydantic import TypeAdapter, ValidationError

from gyeol.local.home import Home, write_atomically
from gyeol.local.process import Identity


@dataclass(frozen=True)
class Entry:
    """One process."""

    identity: Identity
    port: int
    """Where it listens; gRPC for a service."""
    metrics_port: int = 0
    http_port: int = 0


@dataclass(frozen=True)
class Roster:
    """Everything that is up."""

    owner: Identity | None
    """The `gyeol run` these processes belong to; None: they were started by `gyeol up` and outlive it."""
    entries: Mapping[str, Entry] = field(default_factory=dict)
    """By name: `nats` and the services."""
    fingerprint: str = ""
    """Of the settings they were started with."""

    def with_entry(self, name: str, entry: Entry) -> Roster:
        return replace(self, entries={**self.entries, name: entry})

    def address(self, name: str) -> str:
        return f"127.0.0.1:{self.entries[name].port}"

    def alive(self) -> dict[str, bool]:
        """Which processes still run."""
        return {name: entry.identity.alive() for name, entry in self.entries.items()}


_ROSTER: Final = TypeAdapter(Roster)


def stored(home: Home) -> Roster | None:
    """The roster on disk; None when there is none or it cannot be read."""
    try:
        return _ROSTER.validate_json(home.roster.read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None


def store(home: Home, roster: Roster) -> None:
    write_atomically(home.roster, asdict(replace(roster, entries=dict(roster.entries))))


def forget(home: Home) -> None:
    home.roster.unlink(missing_ok=True)
