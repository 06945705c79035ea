"""Reconciles one AlignmentRun: parse, observe, decide, report, carry out.

The status is stored before the steps are carried out, so that a start is written down before the object is made;
an end is stored after them, so that a kill in between repeats the last steps and skips none.
"""

from __future__ import annotations

import json
from datetime import datetime

from pydantic import ValidationError

from gyeol.api.ledger.v1.ledger_pb2 import CreateRunRequest, UpdateRunStatusRequest
from gyeol.chassis import logs
from gyeol.chassis.clock import Clock
from gyeol.cluster.client import Object
from gyeol.cluster.errors import KindMissingError, RefusedError
from gyeol.cluster.hand import Hand
from gyeol.cluster.kind import ALIGNMENT_RUN
from gyeol.cluster.observer import Observer, Sight
from gyeol.cluster.peers import Peers
from gyeol.cluster.reporter import Reporter
from gyeol.cluster.ward import forgiven, started
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.condition import shortened
from gyeol.reconcile.decide import decide, final
from gyeol.reconcile.fault import SpecificationError, faults
from gyeol.reconcile.identity import canonical, run_id
from gyeol.reconcile.manifest.name import NameTooLongError
from gyeol.reconcile.manifest.site import Site
from gyeol.reconcile.manifest.trainjob import UnsupportedStoreError
from gyeol.reconcile.manifest.work import Ask
from gyeol.reconcile.plan import Event, Plan, RequestSeeds, RunJob, ServeModel
from gyeol.reconcile.seen import Job
from gyeol.reconcile.status import AlignmentRunStatus, JobStatus

RETRY_ANNOTATION = "gyeol.dev/retry"
"""Any new value starts a blocked run again."""

_log = logs.get()
_CANNOT = (RefusedError, KindMissingError, NameTooLongError, UnsupportedStoreError)


class Runs:
    """Reconciles runs."""

    def __init__(
        self,
        hand: Hand,
        observer: Observer,
        reporter: Reporter,
        peers: Peers,
        site: Site,
        clock: Clock,
        poll_seconds: float,
    ) -> None:
        self._hand = hand
        self._observer = observer
        self._reporter = reporter
        self._peers = peers
        self._site = site
        self._clock = clock
        self._poll_seconds = poll_seconds
        self._registered: set[str] = set()
        self._carried: set[str] = set()
        """Runs whose last plan was carried out to its end by this process."""

    async def reconcile(self, current: Object) -> tuple[Object, float | None]:
        """One look at a run.

        Returns:
          The object as it is afterwards, and the seconds after which to look again; None: when something changes.

        Raises:
          StaleError: The object is not the newest one.
          AioRpcError: A service cannot be asked now.
        """
        now = self._clock.now()
        try:
            run = parsed(current)
        except SpecificationError as error:
            await self._reporter.tell(current, [Event("Warning", "InvalidSpecification", str(error))], now)
            return current, None
        if run.metadata.uid and current["metadata"].get("deletionTimestamp"):
            return current, None
        key = run_id(run)
        await self._register(run, key)
        retry = self._retries(current, run)
        if retry:
            run = _again(run, current)
        sight = await self._observer.look(run, key, now, retry=retry, resumed=key not in self._carried)
        run = _with(run, jobs=tuple(sight.ward.records.values()), metrics=sight.metrics)
        plan = self._planned(run, sight, now)
        records = dict(sight.ward.records)
        for step in plan.steps:
            if isinstance(step, RunJob):
                records[step.job] = started(records, step.job, step.attempt)
        status = plan.status.model_copy(update={"jobs": tuple(records.values())})
        await self._reporter.tell(current, (*plan.events, *_started(plan, run)), now)
        ended = final(status)
        if not ended:
            current = await self._stored(current, key, status)
        ask = Ask(_with(run, **_known(status)), self._site, key, sight.endpoints)
        self._carried.discard(key)
        changed = await self._carried_out(plan, ask, sight, records)
        self._carried.add(key)
        if changed != records:
            status = status.model_copy(update={"jobs": tuple(changed.values())})
            current = await self._stored(current, key, status)
            return current, 0.0
        if ended:
            current = await self._stored(current, key, status)
            self._observer.forget(key)
            return current, None if not plan.steps else self._poll_seconds
        return current, None if plan.requeue is None else self._poll_seconds

    def forget(self, current: Object) -> None:
        """Forgets a run that was deleted. Its children go with it: they are owned."""
        try:
            key = run_id(parsed(current))
        except SpecificationError:
            return
        self._observer.forget(key)
        self._carried.discard(key)
        self._registered.discard(key)

    def _planned(self, run: AlignmentRun, sight: Sight, now: datetime) -> Plan:
        plan = decide(run, sight.seen, now)
        if plan.status.state == "Training" and sight.metrics:
            step = max(one.step for one in sight.metrics)
            told = ", ".join(f"{one.name.rpartition('/')[2]} {one.value}" for one in sight.metrics[:3])
            return Plan(
                plan.steps,
                plan.status.model_copy(update={"progress": f"step {step}: {told}"}),
                plan.events,
                plan.requeue,
            )
        return plan

    async def _carried_out(
        self, plan: Plan, ask: Ask, sight: Sight, records: dict[Job, JobStatus]
    ) -> dict[Job, JobStatus]:
        """Carries everything out; the records, changed where a job cannot be made at all."""
        changed = dict(records)
        training = sight.ward.training
        if training is not None and records[Job.TRAIN].state == "Started":
            await self._hand.hold(ask, training, suspended=ask.run.spec.suspend)
        if not ask.run.spec.suspend and not final(plan.status):
            for job, part in sight.ward.missing:
                if sight.ward.records[job].state == "Started":
                    changed[job] = await self._made(job, ask, records[job], part=part)
        for step in plan.steps:
            if isinstance(step, RunJob):
                changed[step.job] = await self._made(step.job, ask, records[step.job])
            elif isinstance(step, ServeModel):
                await self._served(step, ask, sight, records)
            else:
                await self._hand.carry_out(step, ask, sight, records)
        return changed

    async def _served(self, step: ServeModel, ask: Ask, sight: Sight, records: dict[Job, JobStatus]) -> None:
        place = (ask.run_id, step.side)
        try:
            await self._hand.carry_out(step, ask, sight, records)
            self._observer.unservable.pop(place, None)
        except _CANNOT as error:
            self._observer.unservable[place] = str(error)  # the next look says so

    async def _made(self, job: Job, ask: Ask, record: JobStatus, *, part: str = "") -> JobStatus:
        try:
            await self._hand.make(job, ask, record, part=part)
        except _CANNOT as error:
            return record.model_copy(update={"state": "Refused", "message": shortened(str(error))})
        return record

    async def _stored(self, current: Object, key: str, status: AlignmentRunStatus) -> Object:
        stored = await self._reporter.store(ALIGNMENT_RUN, current, status)
        if stored is not current:
            text = status.model_dump_json(by_alias=True)
            await self._peers.runs.UpdateRunStatus(UpdateRunStatusRequest(id=key, status_json=text))
        return stored

    async def _register(self, run: AlignmentRun, key: str) -> None:
        if key in self._registered or final(run.status):
            return
        request = CreateRunRequest(id=key, name=run.metadata.name, spec_json=canonical(run.spec))
        await self._peers.runs.CreateRun(request)
        self._registered.add(key)

    def _retries(self, current: Object, run: AlignmentRun) -> bool:
        asked = (current["metadata"].get("annotations") or {}).get(RETRY_ANNOTATION, "")
        return bool(asked) and asked != run.status.retried and not final(run.status)


def parsed(current: Object) -> AlignmentRun:
    """The run of an object.

    Raises:
      SpecificationError: It does not describe one; the text names every field.
    """
    value = {key: current[key] for key in ("apiVersion", "kind", "metadata", "spec")}
    if current.get("status"):
        value["status"] = current["status"]
    try:
        return AlignmentRun.model_validate_json(json.dumps(value), by_alias=True, by_name=False)
    except ValidationError as error:
        found = faults(error.errors(include_url=False), AlignmentRun, lambda _: 0)
        raise SpecificationError(current["metadata"]["name"], found) from None


def _with(run: AlignmentRun, **fields: object) -> AlignmentRun:
    return run.model_copy(update={"status": run.status.model_copy(update=fields)})


def _known(status: AlignmentRunStatus) -> dict[str, object]:
    return {name: getattr(status, name) for name in type(status).model_fields}


def _again(run: AlignmentRun, current: Object) -> AlignmentRun:
    asked = current["metadata"]["annotations"][RETRY_ANNOTATION]
    records = forgiven({Job(one.name): one for one in run.status.jobs})
    return _with(run, jobs=tuple(records.values()), retried=asked)


def _started(plan: Plan, run: AlignmentRun) -> list[Event]:
    """Events about what is started, in words a person reads in `kubectl describe`."""
    told = []
    for step in plan.steps:
        if isinstance(step, RunJob):
            attempt = f", attempt {step.attempt + 1}" if step.attempt else ""
            kind = f" as {run.spec.training.backend}" if step.job is Job.TRAIN else ""
            told.append(Event("Normal", "JobStarted", f"{step.job.value}{kind}{attempt}"))
        elif isinstance(step, ServeModel):
            told.append(Event("Normal", "ModelServing", f"the {step.side.value} is being served"))
        elif isinstance(step, RequestSeeds) and step.offset == 0 and not step.redrive:
            told.append(Event("Normal", "SeedsRequested", f"{step.count} seeds of {step.stratum}"))
    return told
