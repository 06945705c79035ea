"""Stops a run that cannot go on, with the remedy, instead of letting it wait for ever."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Iterable, Sequence

from gyeol.api.ledger.v1.ledger_pb2 import Account, StageAccount
from gyeol.chassis.chat import Endpoint
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.local.endpoint import refusals, troubles
from gyeol.local.errors import EndpointError, InputError, StoppedError
from gyeol.local.home import Home
from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.plan import Plan

QUIET_SECONDS = 20.0
"""A stage brought nothing forth for so long: the endpoints are asked whether they are there and answer, and the run stops when they do not."""
LONGEST_SECONDS = 300.0
"""They are asked half as often each time they do answer, but not less often than this: a question costs a few tokens."""
ASK_SECONDS = 30.0
"""How often they are asked while things move: when one writer is gone the others go on, and a person should know."""
WRITING = "candidate"
"""Stage in which the writers answer."""
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
        clock: Clock | None = None,
    ) -> None:
        self._home = home
        self._endpoints = endpoints
        self._say = say
        self._least_disk_bytes = least_disk_bytes
        self._quiet_seconds = quiet_seconds
        self._moved: dict[str, tuple[int, float]] = {}
        """What each stage had brought forth when that changed last, and when."""
        self._clock = clock or SystemClock()
        self._asked_at = self._clock.monotonic()
        self._patience = quiet_seconds
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
        now = self._clock.monotonic()
        if not (quiet := self._quiet(account, now)):
            self._patience = self._quiet_seconds
        if now - self._asked_at > (self._patience if quiet else ASK_SECONDS):
            self._asked_at = now
            if quiet:
                await self._raise_trouble()
                self._patience = min(2 * self._patience, LONGEST_SECONDS)
            self._tell(f"{one}; the run goes on without it" for one in await troubles(self._endpoints))

    def _quiet(self, account: Account, now: float) -> bool:
        """Whether a stage that has work brought nothing forth for a while, or nothing moved at all.

        Each stage for itself: while the writers refuse, questions that need no writer are still dropped, as long as there are any.
        """
        found = {one.stage: (_brought(one), one.pending) for one in account.stages}
        found["all"] = (account.calls + sum(one.results + one.drops + one.failures for one in account.stages), 1)
        for stage, (count, pending) in found.items():
            if not pending or self._moved.get(stage, (-1, now))[0] != count:
                self._moved[stage] = (count, now)
        return any(now - at > self._quiet_seconds for _, at in self._moved.values())

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


def _brought(stage: StageAccount) -> int:
    """What a stage brought forth. A question that is dropped before anybody writes says nothing of the writers."""
    return stage.results if stage.stage == WRITING else stage.results + stage.drops


def _blocked(plan: Plan, why: str) -> Exception:
    missed = [one for one in plan.status.conditions if one.status == "False" and one.type != ConditionType.SUCCEEDED]
    message = missed[0].message if missed else plan.status.reason
    if plan.status.reason in BAD_INPUT:
        return InputError(message)
    if why:
        message = f"{message}. Most of them: {why}"
    return StoppedError(f"{message}; after that, the same command goes on where it stopped")
