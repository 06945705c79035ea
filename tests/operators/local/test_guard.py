from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from gyeol.api.ledger.v1.ledger_pb2 import Account, StageAccount
from gyeol.chassis.chat import Endpoint
from gyeol.local.errors import EndpointError, InputError, StoppedError
from gyeol.local.guard import Guard
from gyeol.local.home import Home
from gyeol.local.status import Exit, exit_of
from gyeol.reconcile.decide import decide
from gyeol.reconcile.plan import Plan
from gyeol.reconcile.seen import AccountSeen, Job, JobSeen, JobState, Seen, Serving, Side, StratumSeen
from support.clock import SteppedClock
from support.openai_stub import Status, openai_stub
from support.world import DIGEST, NOON, PACK, aligned, gathered_world


def blocked(state: JobState, message: str) -> Plan:
    done = JobSeen(JobState.DONE, digest=DIGEST)
    jobs = {Job.WEIGHTS: done, Job.EVALUATE_BASELINE: done, Job.PREFLIGHT: JobSeen(state, 2, message)}
    return decide(aligned(), gathered_world(aligned(), jobs=jobs), NOON)


def healthy() -> Plan:
    return decide(aligned(), Seen(pack=PACK), NOON)


async def silence() -> str:
    return ""


async def test_a_run_that_can_go_on_is_left_alone(tmp_path: Path) -> None:
    await Guard(Home(tmp_path), []).check(healthy(), Account(), silence)


async def test_a_full_disk_stops_the_run_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(StoppedError, match=r"free below .*; free at least \d+ MiB, then give the same command again"):
        await Guard(Home(tmp_path), [], least_disk_bytes=2**60).check(healthy(), Account(), silence)


async def test_bad_input_and_a_failure_end_with_different_statuses(tmp_path: Path) -> None:
    guard = Guard(Home(tmp_path), [])
    with pytest.raises(InputError, match="no EOS token") as refused:
        await guard.check(blocked(JobState.REFUSED, "no EOS token"), Account(), silence)
    assert exit_of(refused.value) is Exit.BAD_INPUT
    with pytest.raises(StoppedError, match="the same command goes on where it stopped") as failed:
        await guard.check(blocked(JobState.FAILED, "out of memory"), Account(), silence)
    assert exit_of(failed.value) is Exit.FAILED


async def test_records_that_fail_say_what_most_of_them_fail_of(tmp_path: Path) -> None:
    books = AccountSeen({"I": StratumSeen(inputs=6, failures=6)}, moves=9)
    done = {Job.WEIGHTS: JobSeen(JobState.DONE, digest=DIGEST)}
    seen = Seen(pack=PACK, exclusive=True, jobs=done, serving={Side.BASELINE: Serving.READY}, account=books)

    async def told() -> str:
        return "candidate: the key in WRITER_KEY is refused"

    with pytest.raises(
        StoppedError, match=r"6 records failed .* Most of them: candidate: the key in WRITER_KEY is refused"
    ):
        await Guard(Home(tmp_path), []).check(decide(aligned(), seen, NOON), Account(), told)


async def test_a_run_that_is_held_ends_at_once_instead_of_waiting(tmp_path: Path) -> None:
    run = aligned(lambda text: text + "  suspend: true\n")
    with pytest.raises(InputError, match=r"spec.suspend is true"):
        await Guard(Home(tmp_path), []).check(decide(run, Seen(pack=PACK), NOON), Account(), silence)


async def test_a_dead_endpoint_is_named_as_the_cause_of_a_block(tmp_path: Path) -> None:
    guard = Guard(Home(tmp_path), [Endpoint("writer-a", "http://127.0.0.1:9/v1", "m")])
    with pytest.raises(EndpointError, match=r"writer-a at http://127.0.0.1:9/v1 cannot be reached"):
        await guard.check(blocked(JobState.FAILED, "x"), Account(), silence)


def gathering() -> Plan:
    run = aligned()
    jobs = {Job.WEIGHTS: JobSeen(JobState.DONE, digest=DIGEST)}
    serving = {Side.BASELINE: Serving.READY}
    plan = decide(run, Seen(pack=PACK, jobs=jobs, serving=serving, recorded=frozenset(Job)), NOON)
    assert plan.status.state == "Gathering"
    return plan


async def test_a_wrong_key_stops_a_run_in_which_nothing_moves_although_the_endpoint_lists_its_models(
    tmp_path: Path,
) -> None:
    async with openai_stub() as stub:
        stub.answer("m", Status(401))
        endpoint = Endpoint("writer-a", stub.url, "m", api_key_env="WRITER_KEY", api_key="k")
        guard = Guard(Home(tmp_path), [endpoint], quiet_seconds=0.0)
        with pytest.raises(EndpointError, match=r"refuses the key .*WRITER_KEY; then give the same command again"):
            for _ in range(2):  # the first look only remembers where things were
                await guard.check(gathering(), Account(), silence)


async def test_a_wrong_key_stops_a_run_in_which_questions_that_need_no_writer_go_on(tmp_path: Path) -> None:
    def books(dropped: int) -> Account:
        mining = StageAccount(stage="candidate", inputs=100, results=5, drops=dropped, pending=95 - dropped)
        return Account(calls=dropped, stages=[mining, StageAccount(stage="judge", inputs=5, results=3, drops=2)])

    async with openai_stub() as stub:
        stub.answer("m", Status(401))
        endpoint = Endpoint("writer-a", stub.url, "m", api_key_env="WRITER_KEY", api_key="k")
        guard = Guard(Home(tmp_path), [endpoint], quiet_seconds=0.0)
        with pytest.raises(EndpointError, match="refuses the key"):
            for dropped in range(3):
                await guard.check(gathering(), books(dropped), silence)


async def test_endpoints_are_not_asked_while_every_stage_that_has_work_brings_something_forth(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        guard = Guard(Home(tmp_path), [Endpoint("writer-a", stub.url, "m")], quiet_seconds=0.0)
        for moved in range(5):
            stages = [
                StageAccount(stage="candidate", inputs=100, results=moved, pending=100 - moved),
                StageAccount(stage="judge", inputs=moved, drops=moved),
            ]
            await guard.check(gathering(), Account(stages=stages), silence)
        assert not stub.requests


async def test_endpoints_that_answer_a_slow_run_are_asked_ever_less_often(tmp_path: Path) -> None:
    clock, plan = SteppedClock(), gathering()
    asked_at: list[float] = []
    async with openai_stub() as stub:
        guard = Guard(Home(tmp_path), [Endpoint("writer-a", stub.url, "m")], clock=clock)
        for _ in range(1500):
            await guard.check(plan, Account(), silence)
            if stub.requests["m"] > len(asked_at):
                asked_at.append(clock.seconds)
            clock.advance(1)
    waits = [after - before for before, after in pairwise(asked_at)]
    assert waits == [41, 81, 161, 301, 301, 301]


async def test_an_overloaded_endpoint_is_told_once_and_waited_for(tmp_path: Path) -> None:
    told: list[str] = []
    async with openai_stub() as stub:
        stub.answer("m", Status(503))
        guard = Guard(Home(tmp_path), [Endpoint("writer-a", stub.url, "m")], told.append, quiet_seconds=0.0)
        for _ in range(4):
            await guard.check(gathering(), Account(), silence)
    assert told == ["endpoint writer-a failed (503 stub); the run waits for it"]
