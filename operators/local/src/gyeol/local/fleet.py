"""Broker and services of one machine: brought up together, watched, brought down together."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from gyeol.chassis.outcomes import BAD_INPUT
from gyeol.local import broker, roster
from gyeol.local.errors import InputError, ServiceDownError
from gyeol.local.health import greets, serves
from gyeol.local.home import Home
from gyeol.local.log import last_words, size
from gyeol.local.port import free_port
from gyeol.local.process import Identity, end_groups, environment, leftovers, start
from gyeol.local.roster import Entry, Roster
from gyeol.local.service import BROKER, SERVICES, Service, Surroundings, settings_of

START_SECONDS = 60.0
GRACE_SECONDS = 8.0
RESTARTS = 4
STEADY_SECONDS = 60.0
"""A process that lived so long does not count as one that ends again and again."""
LONGEST_REFUSAL = 4000
"""Characters of what a service says of its input: a pack may be wrong in twenty lines."""
CONSOLE_PORT = 8080
"""Where the console is, unless something else listens there."""


class Fleet:
    """The processes behind one state folder.

    Args:
      around: What the services are told.
      services: Which ones.
      say: Told in words what happens.
    """

    def __init__(
        self, around: Surroundings, services: Sequence[Service] = SERVICES, say: Callable[[str], None] = lambda _: None
    ) -> None:
        self._around = around
        self._home: Home = around.home
        self._services = {service.name: service for service in services}
        self._say = say
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._started: dict[str, float] = {}
        self._log_starts: dict[str, int] = {}
        self._deaths: Counter[str] = Counter()
        self.roster = Roster(None)

    async def up(self, *, owner: Identity | None) -> None:
        """Brings everything up, or takes over what `gyeol up` left running.

        Args:
          owner: The process these belong to; None: they outlive this one.

        Raises:
          ServiceDownError: Something does not come up; the message holds its last words.
          InputError: What a service reads, such as a culture pack, is wrong; the message holds what it says of it.
        """
        self._home.prepare()
        known = roster.stored(self._home)
        if known is not None and self._can_take_over(known):
            self.roster = known
            self._end_leftovers(keep=known)
            await self.watch()
            await self._healthy(self.roster.entries)
            return
        self._end_leftovers(keep=None)
        self.roster = self._fresh(owner)
        roster.store(self._home, self.roster)
        self._start(BROKER)
        await self._healthy([BROKER])
        for name in self._services:
            self._start(name)
        roster.store(self._home, self.roster)
        await self._healthy(self._services)

    async def watch(self) -> None:
        """Starts again what died. To be called every second or so while a run is active.

        Raises:
          ServiceDownError: Something dies again and again; the message holds its last words.
          InputError: What a service reads when it starts is wrong.
        """
        dead = [name for name, entry in self.roster.entries.items() if not self._runs(name, entry)]
        for name in dead:
            self._refuse_bad_input(name)
            lived = time.monotonic() - self._started.get(name, -STEADY_SECONDS)
            self._deaths[name] = 1 if lived >= STEADY_SECONDS else self._deaths[name] + 1
            if self._deaths[name] > RESTARTS:
                raise ServiceDownError(
                    self._why(name, f"ended {self._deaths[name]} times in a row soon after its start")
                )
            self._say(f"{name} ended and is started again")
            self._start(name)
        if dead:
            roster.store(self._home, self.roster)

    def down(self) -> None:
        """Ends everything: first the services, so that they can hand in their work, then the broker."""
        services = [entry.identity for name, entry in self.roster.entries.items() if name != BROKER]
        end_groups(services, grace=GRACE_SECONDS)
        if BROKER in self.roster.entries:
            end_groups([self.roster.entries[BROKER].identity], grace=GRACE_SECONDS)
        for process in self._processes.values():
            process.poll()
        self._end_leftovers(keep=None)
        roster.forget(self._home)
        self.roster = Roster(None)

    def _can_take_over(self, known: Roster) -> bool:
        return (
            known.owner is None
            and known.fingerprint == self._around.fingerprint
            and any(known.alive().values())
            and set(known.entries) == {BROKER, *self._services}
            and all(self._around.holds(environment(entry.identity)) for entry in known.entries.values())
        )

    def _fresh(self, owner: Identity | None) -> Roster:
        made = Roster(owner, fingerprint=self._around.fingerprint)
        ports: set[int] = set()

        def port() -> int:
            ports.add(chosen := free_port(taken=ports))
            return chosen

        nobody = Identity(0, 0.0)
        made = made.with_entry(BROKER, Entry(nobody, port()))
        for service in self._services.values():
            http_port = self._http_port(ports) if service.http else 0
            made = made.with_entry(service.name, Entry(nobody, port(), port(), http_port))
        return made

    def _http_port(self, ports: set[int]) -> int:
        chosen = free_port(CONSOLE_PORT, ports)
        ports.add(chosen)
        return chosen

    def _start(self, name: str) -> None:
        entry = self.roster.entries[name]
        if name == BROKER:
            argv, env = broker.command(self._home, entry.port), {}
        else:
            service = self._services[name]
            argv, env = service.command, settings_of(service, self.roster, self._around)
        log = self._home.log(name)
        self._log_starts[name] = size(log)
        process = start(argv, home=self._home.path, log=log, env=env)
        self._processes[name] = process
        self._started[name] = time.monotonic()
        self.roster = self.roster.with_entry(name, replace(entry, identity=Identity.of(process.pid)))

    async def _healthy(self, names: Iterable[str]) -> None:
        await asyncio.gather(*(self._becomes_healthy(name) for name in list(names)))

    async def _becomes_healthy(self, name: str) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            entry = self.roster.entries[name]
            if await (greets(entry.port) if name == BROKER else serves(self.roster.address(name))):
                return
            if not self._runs(name, entry):
                self._refuse_bad_input(name)
                raise ServiceDownError(self._why(name, "ended while it started"))
            await asyncio.sleep(0.1)
        raise ServiceDownError(self._why(name, f"did not answer within {START_SECONDS:g} s"))

    def _runs(self, name: str, entry: Entry) -> bool:
        process = self._processes.get(name)
        return process.poll() is None if process is not None else entry.identity.alive()

    def _refuse_bad_input(self, name: str) -> None:
        """Started again, a service would refuse the same file again."""
        process = self._processes.get(name)
        if process is not None and process.poll() == BAD_INPUT:
            why = last_words(self._home.log(name), since=self._log_starts.get(name, 0), longest=LONGEST_REFUSAL)
            raise InputError(
                f"{name} cannot start with what it reads: {why}\nMend it, then give the same command again."
            )

    def _why(self, name: str, what: str) -> str:
        log = self._home.log(name)
        why = last_words(log, since=self._log_starts.get(name, 0))
        return f"{name} {what}: {why} (log: {log})" if why else f"{name} {what} (log: {log})"

    def _end_leftovers(self, keep: Roster | None) -> None:
        kept = {entry.identity.pid for entry in keep.entries.values()} if keep else set()
        found = [one for one in leftovers(self._home.path) if one.pid not in kept]
        if found:
            self._say(f"ending {len(found)} processes that an earlier gyeol left behind")
            end_groups(found, grace=GRACE_SECONDS)
