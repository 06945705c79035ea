"""One `gyeol run`: look, decide, carry out, until the run has ended or cannot go on."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import grpc.aio

from gyeol.api.ledger.v1.ledger_pb2 import CreateRunRequest, UpdateRunStatusRequest
from gyeol.chassis.bus import Bus
from gyeol.chassis.chat import Endpoint
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import ConflictError, InvalidError, Meaning, NotReadyError
from gyeol.chassis.outcomes import meaning_of
from gyeol.chassis.settings import ServiceSettings
from gyeol.local.display import Display
from gyeol.local.engine import Engines
from gyeol.local.errors import EndpointError, InputError, ServiceDownError, StoppedError
from gyeol.local.fleet import Fleet
from gyeol.local.guard import Guard
from gyeol.local.hand import Hand
from gyeol.local.home import Home, RunFolder, write_atomically
from gyeol.local.observer import Observer
from gyeol.local.order import Desk
from gyeol.local.peers import Peers, peers
from gyeol.local.progress import Progress
from gyeol.local.reason import said
from gyeol.local.service import BROKER
from gyeol.local.workshop import Workshop
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.decide import decide, final
from gyeol.reconcile.identity import canonical
from gyeol.reconcile.plan import Plan, RequestSeeds, Step
from gyeol.reconcile.seen import Job, JobState, Seen, Side
from gyeol.reconcile.status import AlignmentRunStatus

TURN_SECONDS = 1.0
UNREACHABLE_SECONDS = 90.0
"""How long services may be out of reach, restarts included, before the run stops."""


@dataclass
class Session:
    """What one `gyeol run` works with."""

    home: Home
    folder: RunFolder
    run: AlignmentRun
    fleet: Fleet
    display: Display
    endpoints: Sequence[Endpoint] = ()
    clock: Clock = field(default_factory=SystemClock)

    def __post_init__(self) -> None:
        self.progress = Progress(self.folder.run_id, self.run.status)
        self.workshop = Workshop(self.home, self.clock, self.progress.hear)
        self.engines = Engines(self.home)
        self._guard = Guard(self.home, self.endpoints, self.display.note, clock=self.clock)
        self._retry = True
        self._owed: list[Step] = []

    async def drive(self) -> AlignmentRunStatus:
        """Drives the run to its end.

        Returns:
          The final status.

        Raises:
          GyeolError: The run cannot go on now; it resumes when the same command is given again.
        """
        async with contextlib.AsyncExitStack() as stack:
            stack.callback(self.engines.close)
            stack.push_async_callback(self.workshop.close)
            stack.enter_context(contextlib.closing(_Redraw(self.display, self.progress)))
            url = f"nats://{self.fleet.roster.address(BROKER)}"
            bus = await Bus.connect(ServiceSettings(nats_url=url), "run")
            stack.push_async_callback(bus.close)
            await bus.ensure()
            opened = await stack.enter_async_context(peers(self.fleet.roster))
            observer = Observer(opened, self.workshop, self.engines)
            hand = Hand(opened, bus, self.workshop, self.engines, observer, secrets.token_hex(4))
            await self._register(opened)
            self.progress.doing = ""
            return await self._watched(self._turns(opened, observer, hand))

    async def _watched(self, turns: Coroutine[Any, Any, AlignmentRunStatus]) -> AlignmentRunStatus:
        """Takes turns while the fleet is watched beside: a turn may itself be waiting for what has to be started again."""
        work, watch = asyncio.create_task(turns), asyncio.create_task(self._watch())
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
            if watch.done():
                watch.result()
            return await work
        finally:
            work.cancel()
            watch.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)

    async def _watch(self) -> None:
        while True:
            await self.fleet.watch()
            await asyncio.sleep(TURN_SECONDS / 2)

    async def _turns(self, opened: Peers, observer: Observer, hand: Hand) -> AlignmentRunStatus:
        lost_since: float | None = None
        while True:
            try:
                plan = await self._turn(opened, observer, hand)
                lost_since = None
            except (grpc.aio.AioRpcError, NotReadyError) as error:
                if isinstance(error, (ServiceDownError, EndpointError)):
                    raise
                lost_since = lost_since or time.monotonic()
                self._bear(error, time.monotonic() - lost_since)
                await asyncio.sleep(TURN_SECONDS)
                continue
            if final(plan.status) and not plan.steps:
                return plan.status
            await self._guard.check(plan, observer.account, lambda: observer.most_common_failure(self.folder.run_id))
            await self._rest(plan)

    async def _turn(self, opened: Peers, observer: Observer, hand: Hand) -> Plan:
        desk = self._desk()
        seen = await observer.look(desk, retry=self._retry)
        await self._carry_out(self._owed, hand, seen)
        plan = decide(self.run, seen, self.clock.now())
        if not final(plan.status):
            await self._store(plan.status, opened)
        await self._carry_out(list(plan.steps), hand, seen)
        if final(plan.status):
            await self._store(plan.status, opened)  # last, so that a kill in between repeats the steps and skips none
        self._retry = False
        self._show(plan, observer)
        return plan

    async def _carry_out(self, steps: list[Step], hand: Hand, seen: Seen) -> None:
        """Seeds are written down as asked for before they are: what could not be sent stays owed. Other steps show in the world."""
        left = list(steps)
        self._owed = []
        try:
            while left:
                await hand.carry_out(left[0], self._desk(), seen)
                left.pop(0)
        finally:
            self._owed += [step for step in left if isinstance(step, RequestSeeds)]

    async def _store(self, status: AlignmentRunStatus, opened: Peers) -> None:
        if status == self.run.status:
            return
        value = status.model_dump(mode="json", by_alias=True)
        write_atomically(self.folder.status, value)
        self.run = self.run.model_copy(update={"status": status})
        text = status.model_dump_json(by_alias=True)
        await opened.runs.UpdateRunStatus(UpdateRunStatusRequest(id=self.folder.run_id, status_json=text))

    async def _register(self, opened: Peers) -> None:
        request = CreateRunRequest(
            id=self.folder.run_id, name=self.run.metadata.name, spec_json=canonical(self.run.spec)
        )
        try:
            await opened.runs.CreateRun(request)
        except grpc.aio.AioRpcError as error:
            if meaning_of(error) in (Meaning.INVALID, Meaning.CONFLICT):
                raise InputError(f"the ledger refuses the run: {error.details()}") from None
            raise

    def _show(self, plan: Plan, observer: Observer) -> None:
        self.progress.status = plan.status
        self.progress.account = observer.account
        self.progress.active = tuple(job for job in Job if self._is_running(job))
        for event in plan.events:
            if event.reason == "NotQueued":
                continue  # there is never a queue on one machine
            words = f"{said(event.reason)}: {event.message}" if event.message else said(event.reason)
            self.display.note(f"[{self.progress.elapsed}] {words}")
        self.display.update(self.progress)

    def _is_running(self, job: Job) -> bool:
        one = self.workshop.seen(job)
        return one is not None and one.state is JobState.RUNNING

    def _desk(self) -> Desk:
        engines = {side: url for side in Side if (url := self.engines.urls().get(side))}
        return Desk(self.home, self.folder, self.run, self.fleet.roster, engines)

    def _bear(self, error: Exception, seconds: float) -> None:
        """A service that is being restarted is out of reach for a while."""
        meaning = meaning_of(error)
        details = error.details() if isinstance(error, grpc.aio.AioRpcError) else str(error)
        if meaning in (Meaning.INVALID, Meaning.NOT_FOUND, Meaning.DENIED):
            raise InvalidError(f"{details}") from None
        if meaning is Meaning.CONFLICT:
            raise ConflictError(f"{details}") from None
        if seconds > UNREACHABLE_SECONDS:
            raise StoppedError(f"a service cannot be reached for {seconds:.0f} s: {details}; see gyeol logs") from None

    async def _rest(self, plan: Plan) -> None:
        wait = min(plan.requeue.total_seconds() if plan.requeue else TURN_SECONDS, TURN_SECONDS)
        self.workshop.changed.clear()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.workshop.changed.wait(), 0.05 if plan.steps else wait)


class _Redraw:
    """Redraws while jobs talk between two turns."""

    def __init__(self, display: Display, progress: Progress) -> None:
        self._task = asyncio.create_task(self._repeat(display, progress))

    async def _repeat(self, display: Display, progress: Progress) -> None:
        while True:
            await asyncio.sleep(0.5)
            display.update(progress)

    def close(self) -> None:
        self._task.cancel()
