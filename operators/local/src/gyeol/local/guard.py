"""Stops a run that cannot go on, with the remedy, instead of letting it wait for ever."""

from __future__ import annotations

import shutil
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence

from gyeol.api.ledger.v1.ledger_pb2 import Account
from gyeol.chassis.chat import Endpoint
from gyeol.local.endpoint import refusals, troubles
from gyeol.local.errors import EndpointError, InputError, StoppedError
from gyeol.local.home import Home
from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.plan import Plan

QUIET_SECONDS = 20.0
"""Nothing moved for so long: the endpoints are asked whether they are there and answer, and the run stops when they do not."""
ASK_SECONDS = 30.0
"""How often they are asked while things move: when one writer is gone the others go on, and a person should know."""
LEAST_DISK_BYTES = 500 * 2**20
BAD_INPUT = frozenset({"BadInput", "PackMissing", "CeilingBelowTarget"})
"""Reasons for which the same command would stop again."""


class Guard:
    """Watches disk, endpoints and blocked plans."""

    def __init__(
        self,
        home: Home,
        endpoints: Sequence[Endpoint],
        say: Callable[[str], None] = lambda _: None,
        least_disk_bytes: int = LEAST_DISK_BYTES,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        self._home = home
        self._endpoints = endpoints
        self._say = say
        self._least_disk_bytes = least_disk_bytes
        self._quiet_seconds = quiet_seconds
        self._moves = -1
        self._moved_at = self._asked_at = time.monotonic()
        self._told: set[str] = set()

    async def check(self, plan: Plan, account: Account, why_failed: Callable[[], Awaitable[str]]) -> None:
        """Returns when the run can go on.

        Args:
          plan: What was decided last.
          account: The books.
          why_failed: What most failed records failed of.

        Raises:
          GyeolError: It cannot; the message says what to do.
        """
        free = shutil.disk_usage(self._home.path).free
        if free < self._least_disk_bytes:
            raise StoppedError(
                f"only {free // 2**20} MiB are free below {self._home.path}; free at least "
                f"{self._least_disk_bytes // 2**20} MiB, then give the same command again"
            )
        if plan.status.state == "Suspended":
            raise InputError(
                "spec.suspend is true, which holds the run; set it to false and give the same command again"
            )
        if plan.status.state == "Blocked":
            await self._raise_trouble()
            raise _blocked(plan, await why_failed() if plan.status.reason == "RecordsFailing" else "")
        await self._ask(plan, account)

    async def _ask(self, plan: Plan, account: Account) -> None:
        if not self._endpoints or plan.status.state != "Gathering":
            return
        now = time.monotonic()
        moves = account.calls + sum(one.results + one.drops + one.failures for one in account.stages)
        if moves != self._moves:
            self._moves, self._moved_at = moves, now
        quiet = now - self._moved_at > self._quiet_seconds
        if now - self._asked_at > (self._quiet_seconds if quiet else ASK_SECONDS):
            self._asked_at = now
            if quiet:
                await self._raise_trouble()
            self._tell(f"{one}; the run goes on without it" for one in await troubles(self._endpoints))

    def _tell(self, words: Iterable[str]) -> None:
        """Says what was not said before."""
        for one in words:
            if one not in self._told:
                self._told.add(one)
                self._say(one)

    async def _raise_trouble(self) -> None:
        refused = await refusals(self._endpoints)
        found = await troubles(self._endpoints) or [one.why for one in refused if one.lasting]
        if found:
            raise EndpointError(
                "; ".join(found) + "; then give the same command again: nothing that was paid for is lost"
            )
        self._tell(f"{one.why}; the run waits for it" for one in refused)


def _blocked(plan: Plan, why: str) -> Exception:
    missed = [one for one in plan.status.conditions if one.status == "False" and one.type != ConditionType.SUCCEEDED]
    message = missed[0].message if missed else plan.status.reason
    if plan.status.reason in BAD_INPUT:
        return InputError(message)
    if why:
        message = f"{message}. Most of them: {why}"
    return StoppedError(f"{message}; after that, the same command goes on where it stopped")
