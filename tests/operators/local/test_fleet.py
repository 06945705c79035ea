from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from gyeol.local import roster
from gyeol.local.errors import InputError, ServiceDownError
from gyeol.local.fleet import START_SECONDS, Fleet
from gyeol.local.health import greets, serves
from gyeol.local.home import Home
from gyeol.local.process import MARK, Identity, environment, leftovers
from gyeol.local.service import BROKER, Service, Surroundings
from gyeol.local.status import Exit, exit_of

STAND_IN = Path(__file__).parents[2] / "support" / "stand_in.py"
ME = Identity.of(os.getpid())


def stand_in(name: str) -> Service:
    return Service(name, argv=(sys.executable, str(STAND_IN), name.upper()))


class Desk:
    """A state folder and the fleets that a test starts for it."""

    def __init__(self, path: Path) -> None:
        self.home = Home(path / ".gyeol")
        self.said: list[str] = []

    def fleet(self, *names: str, keys: tuple[str, ...] = ()) -> Fleet:
        services = [stand_in(name) for name in names or ("echo", "mirror")]
        return Fleet(Surroundings(self.home, keys=keys), services, self.said.append)


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    made = Desk(tmp_path)
    yield made
    made.fleet().down()
    assert leftovers(made.home.path) == []


async def test_broker_and_services_come_up_together_and_answer(desk: Desk) -> None:
    fleet = desk.fleet()
    await fleet.up(owner=ME)
    assert set(fleet.roster.entries) == {BROKER, "echo", "mirror"}
    assert await greets(fleet.roster.entries[BROKER].port)
    assert await serves(fleet.roster.address("echo"))
    assert all(fleet.roster.alive().values())


async def test_everything_listens_on_the_loopback_interface_only(desk: Desk) -> None:
    fleet = desk.fleet()
    await fleet.up(owner=ME)
    for entry in fleet.roster.entries.values():
        listening = [
            one for one in psutil.Process(entry.identity.pid).connections("tcp") if one.status == psutil.CONN_LISTEN
        ]
        assert listening
        assert {one.laddr.ip.removeprefix("::ffff:") for one in listening} == {"127.0.0.1"}


async def test_down_ends_every_process_and_forgets_them(desk: Desk) -> None:
    fleet = desk.fleet()
    await fleet.up(owner=ME)
    pids = [entry.identity.pid for entry in fleet.roster.entries.values()]
    fleet.down()
    assert roster.stored(desk.home) is None
    assert not any(psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE for pid in pids)


@pytest.mark.parametrize("name", ["echo", BROKER])
async def test_a_process_that_is_killed_is_started_again_at_the_same_port(desk: Desk, name: str) -> None:
    fleet = desk.fleet()
    await fleet.up(owner=ME)
    before = fleet.roster.entries[name]
    os.kill(before.identity.pid, signal.SIGKILL)
    while fleet.roster.entries[name] == before:
        await fleet.watch()
        await asyncio.sleep(0.05)
    after = fleet.roster.entries[name]
    assert after.port == before.port
    assert after.identity.pid != before.identity.pid
    await until_true(lambda: greets(after.port) if name == BROKER else serves(fleet.roster.address(name)))
    assert desk.said == [f"{name} ended and is started again"]
    assert roster.stored(desk.home) == fleet.roster


async def test_a_service_that_ends_again_and_again_is_reported_with_its_last_words(desk: Desk) -> None:
    fleet = desk.fleet()
    await fleet.up(owner=ME)
    os.environ["STAND_IN_ECHO"] = "crash"
    try:
        os.kill(fleet.roster.entries["echo"].identity.pid, signal.SIGKILL)
        with pytest.raises(ServiceDownError, match="ECHO: the setting ECHO_COLOUR is not set"):
            for _ in range(600):
                await fleet.watch()
                await asyncio.sleep(0.1)
    finally:
        del os.environ["STAND_IN_ECHO"]


async def test_a_service_that_ends_while_it_starts_is_reported_at_once_with_its_last_words(desk: Desk) -> None:
    os.environ["STAND_IN_MIRROR"] = "crash"
    try:
        began = time.monotonic()
        with pytest.raises(ServiceDownError, match=r"mirror ended while it started(.|\n)*MIRROR_COLOUR is not set"):
            await desk.fleet().up(owner=ME)
        assert time.monotonic() - began < START_SECONDS
    finally:
        del os.environ["STAND_IN_MIRROR"]


REFUSAL = (
    r"mirror cannot start with what it reads: MIRROR: pack.yaml:3: colour: 'blau' is no colour; write blue\nMend it"
)


async def test_a_service_that_refuses_its_input_is_bad_input_and_no_failure(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_MIRROR", "refuse")
    with pytest.raises(InputError, match=REFUSAL) as caught:
        await desk.fleet().up(owner=ME)
    assert exit_of(caught.value) is Exit.BAD_INPUT


async def test_a_service_that_refuses_its_input_when_it_is_started_again_is_not_tried_a_third_time(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet = desk.fleet("mirror")
    await fleet.up(owner=ME)
    monkeypatch.setenv("STAND_IN_MIRROR", "refuse")
    os.kill(fleet.roster.entries["mirror"].identity.pid, signal.SIGKILL)
    with pytest.raises(InputError, match=REFUSAL):
        for _ in range(600):
            await fleet.watch()
            await asyncio.sleep(0.1)
    assert desk.said == ["mirror ended and is started again"]


async def test_what_gyeol_up_started_is_taken_over_and_not_started_twice(desk: Desk) -> None:
    first = desk.fleet()
    await first.up(owner=None)
    second = desk.fleet()
    await second.up(owner=ME)
    assert second.roster == first.roster
    assert second.roster.owner is None


async def test_services_that_hold_another_key_than_is_set_by_now_are_not_taken_over(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WRITER_KEY", "old")
    first = desk.fleet("echo")
    await first.up(owner=None)
    same = desk.fleet("echo", keys=("WRITER_KEY",))
    await same.up(owner=ME)
    assert same.roster == first.roster
    monkeypatch.setenv("WRITER_KEY", "mended")
    second = desk.fleet("echo", keys=("WRITER_KEY",))
    await second.up(owner=ME)
    assert not first.roster.entries["echo"].identity.alive()
    assert environment(second.roster.entries["echo"].identity)["WRITER_KEY"] == "mended"


async def test_a_dead_service_of_gyeol_up_is_started_again_when_it_is_taken_over(desk: Desk) -> None:
    first = desk.fleet()
    await first.up(owner=None)
    os.kill(first.roster.entries["echo"].identity.pid, signal.SIGKILL)
    await until(lambda: not first.roster.entries["echo"].identity.alive())
    second = desk.fleet()
    await second.up(owner=ME)
    assert await serves(second.roster.address("echo"))
    assert second.roster.entries["mirror"] == first.roster.entries["mirror"]


async def test_leftovers_of_a_killed_run_are_ended_before_new_ones_start(desk: Desk) -> None:
    first = desk.fleet()
    await first.up(owner=Identity(1, 0.0))  # whoever started these is gone
    orphans = [entry.identity for entry in first.roster.entries.values()]
    second = desk.fleet()
    await second.up(owner=ME)
    assert not any(one.alive() for one in orphans)
    assert all(second.roster.alive().values())


async def test_a_stale_roster_whose_numbers_belong_to_others_now_harms_nobody(desk: Desk) -> None:
    stranger = process("import time; time.sleep(60)")
    try:
        desk.home.prepare()
        stale = roster.Roster(None, fingerprint=Surroundings(desk.home).fingerprint)
        for name in (BROKER, "echo", "mirror"):
            stale = stale.with_entry(name, roster.Entry(Identity(stranger.pid, 1.0), 1))
        roster.store(desk.home, stale)
        assert not any(stale.alive().values())
        fleet = desk.fleet()
        await fleet.up(owner=ME)
        assert all(fleet.roster.alive().values())
        fleet.roster = stale
        fleet.down()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


async def test_a_broken_roster_file_is_as_good_as_none(desk: Desk) -> None:
    desk.home.prepare()
    desk.home.roster.write_text('{"owner": null, "entr')
    assert roster.stored(desk.home) is None
    await desk.fleet().up(owner=ME)


async def test_children_of_children_are_found_too(desk: Desk, tmp_path: Path) -> None:
    script = "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); time.sleep(60)"
    parent = process(script, **{MARK: str(desk.home.path)})
    await until(lambda: len(leftovers(desk.home.path)) == 2)
    parent.kill()
    parent.wait()
    assert len(leftovers(desk.home.path)) == 1
    desk.fleet().down()
    await until(lambda: leftovers(desk.home.path) == [])


def process(script: str, **env: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", script], env={**os.environ, **env}, start_new_session=True)


async def until(condition: object, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "waited too long"
        await asyncio.sleep(0.02)


async def until_true(condition: object, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not await condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "waited too long"
        await asyncio.sleep(0.05)
