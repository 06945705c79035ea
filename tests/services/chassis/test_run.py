"""A whole service as a process: start, health, load, SIGTERM."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gyeol.api.judge.v1.judge_pb2 import CheckRegisterRequest, CheckRegisterResponse
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub
from gyeol.api.ledger.v1.ledger_pb2 import ExportDatasetRequest
from gyeol.api.ledger.v1.ledger_pb2_grpc import DatasetServiceStub
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.seed.v1.seed_pb2 import SeedsRequested
from gyeol.chassis.bus import Bus, Publication
from support.nats import NatsServer

SERVICE = Path(__file__).with_name("service.py")
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Service:
    """A service in a process of its own."""

    def __init__(self, folder: Path, name: str = "seed", *, broker: bool = True, **settings: Any) -> None:
        self.log_file = folder / f"{name}.log"
        self.ready_file = folder / f"{name}.ready"
        variables = {f"SEED_{key.upper()}": str(value) for key, value in settings.items()}
        with self.log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, SERVICE, name, "broker" if broker else "alone"],
                env={**os.environ, **variables, "SEED_READY_FILE": str(self.ready_file)},
                stderr=log,
            )

    async def ready(self) -> dict[str, int]:
        """Waits until it serves; returns what its ready file says."""
        for _ in range(1000):
            if self.ready_file.exists():
                found: dict[str, int] = json.loads(self.ready_file.read_text())
                return found
            if self.process.poll() is not None:
                break
            await asyncio.sleep(0.02)
        raise AssertionError(f"it did not become ready:\n{self.log_file.read_text()}")

    async def ended(self, seconds: float = 20) -> int:
        """Waits until it ends; returns its exit code."""
        return await asyncio.to_thread(self.process.wait, seconds)

    async def said(self, event: str) -> None:
        """Waits until it logged something."""
        for _ in range(500):
            if event in self.log_file.read_text():
                return
            await asyncio.sleep(0.02)
        raise AssertionError(f"it never said {event}")

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.log_file.read_text().splitlines()]

    @property
    def resident(self) -> float:
        """Resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmRSS:")[1].split()[0]) / 1024


@contextlib.asynccontextmanager
async def service(folder: Path, name: str = "seed", **settings: Any) -> AsyncIterator[tuple[Service, int]]:
    started = Service(folder, name, **settings)
    try:
        yield started, (await started.ready())["port"]
    finally:
        started.kill()


def requested(number: int, tenths: int = 0) -> Publication:
    event = SeedsRequested(run=RunContext(run_id="run-1"), stratum="I/G", offset=number, count=tenths)
    return Publication(event, "run-1", f"I/G@{number}", stratum="I/G")


async def stored(bus: Bus, subject: str) -> int:
    info = await bus.js.stream_info("GYEOL_WORK", subjects_filter=subject)
    return int((info.state.subjects or {}).get(subject, 0))


async def until_stored(bus: Bus, subject: str, count: int) -> None:
    for _ in range(1500):
        if await stored(bus, subject) == count:
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{await stored(bus, subject)} of {count} on {subject}")


async def test_a_service_starts_small_and_soon_and_leaves_nothing_behind(nats: NatsServer, tmp_path: Path) -> None:
    started = time.monotonic()
    async with service(tmp_path, nats_url=nats.url) as (running, port):
        assert time.monotonic() - started < 6, "about one second on a quiet machine"
        assert port > 0
        await asyncio.sleep(0.5)
        assert running.resident < 80
        running.terminate()
        assert await running.ended() == 0
    assert not running.ready_file.exists()
    assert [line["event"] for line in running.lines] == ["service_ready", "service_stopped"]


async def test_termination_finishes_calls_and_records_and_ends_streams(
    nats: NatsServer, bus: Bus, tmp_path: Path
) -> None:
    async with service(tmp_path, nats_url=nats.url, prestop_seconds=0.5, slots=8) as (running, port):
        await bus.publish_all([requested(number, tenths=8) for number in range(16)])
        channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.enable_retries", 0)])
        stub: Any = JudgeServiceStub(channel)
        early = [asyncio.ensure_future(_call(stub)) for _ in range(50)]
        endless = DatasetServiceStub(channel).ExportDataset(ExportDatasetRequest())
        await endless.read()
        await asyncio.sleep(0.3)
        running.terminate()
        await asyncio.sleep(0.2)
        late = [asyncio.ensure_future(_call(stub)) for _ in range(10)]
        results = await asyncio.gather(*early, *late, return_exceptions=True)
        assert await running.ended() == 0
        await channel.close()
    assert [result for result in results if not isinstance(result, CheckRegisterResponse)] == []
    done = await stored(bus, "gyeol.seed.generated")
    assert 8 <= done < 16
    assert await stored(bus, "gyeol.seed.requested") == 16 - done
    assert (await bus.js.consumer_info("GYEOL_WORK", "seed")).num_ack_pending == 0


async def _call(stub: Any) -> Any:
    return await stub.CheckRegister(CheckRegisterRequest(text="0.8"), timeout=10)


async def test_health_follows_the_broker(nats: NatsServer, tmp_path: Path) -> None:
    async with (
        service(tmp_path, nats_url=nats.url) as (_, port),
        grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel,
    ):
        await _becomes(channel, health_pb2.HealthCheckResponse.SERVING)
        await nats.kill()
        await _becomes(channel, health_pb2.HealthCheckResponse.NOT_SERVING)
        await nats.start()
        await _becomes(channel, health_pb2.HealthCheckResponse.SERVING)


async def _becomes(channel: grpc.aio.Channel, status: int) -> None:
    health: Any = health_pb2_grpc.HealthStub(channel)
    for _ in range(100):
        if (await health.Check(health_pb2.HealthCheckRequest())).status == status:
            return
        await asyncio.sleep(0.1)
    raise AssertionError(f"health never became {status}")


async def test_a_service_that_needs_no_broker_starts_without_one(tmp_path: Path) -> None:
    async with service(tmp_path, broker=False, consume=False, nats_url="nats://127.0.0.1:1") as (running, port):
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            await JudgeServiceStub(channel).CheckRegister(CheckRegisterRequest(text="0"), timeout=5)
        running.terminate()
        assert await running.ended() == 0


async def test_a_service_without_a_broker_cannot_consume(tmp_path: Path) -> None:
    mistaken = Service(tmp_path, broker=False)
    assert await mistaken.ended() == 1
    assert "leave out broker=False" in mistaken.log_file.read_text()


@pytest.mark.parametrize("seconds", [0, 0.1, 0.6])
async def test_a_service_that_is_stopped_while_the_broker_is_away_ends_soon(
    nats: NatsServer, tmp_path: Path, seconds: float
) -> None:
    async with service(tmp_path, nats_url=nats.url) as (running, _):
        await nats.kill()
        await asyncio.sleep(seconds)
        running.terminate()
        assert await running.ended(4) == 0


async def test_a_service_that_waits_for_a_broker_can_be_stopped(tmp_path: Path) -> None:
    waiting = Service(tmp_path, nats_url="nats://127.0.0.1:1")
    await waiting.said("bus_error")
    waiting.terminate()
    assert await waiting.ended(4) == 0
    assert "service_stopped_at_once" in waiting.log_file.read_text()


async def test_records_survive_a_service_that_is_killed(nats: NatsServer, bus: Bus, tmp_path: Path) -> None:
    async with service(tmp_path, nats_url=nats.url, slots=4) as (running, _):
        await bus.publish_all([requested(number, tenths=3) for number in range(8)])
        await asyncio.sleep(0.4)
        running.kill()
    consumer = await bus.js.consumer_info("GYEOL_WORK", "seed")
    assert consumer.num_ack_pending == 4
    assert await stored(bus, "gyeol.seed.requested") + await stored(bus, "gyeol.seed.generated") == 8


async def test_a_broker_that_is_killed_while_a_service_works_costs_no_record(
    nats: NatsServer, bus: Bus, tmp_path: Path
) -> None:
    async with service(tmp_path, nats_url=nats.url, slots=16, ack_wait=2) as (running, _):
        await bus.publish_all([requested(number, tenths=1) for number in range(300)])
        for _ in range(3):
            await asyncio.sleep(0.3)
            await nats.kill()
            await asyncio.sleep(0.2)
            await nats.start()
        await until_stored(bus, "gyeol.seed.requested", 0)
        assert await stored(bus, "gyeol.seed.generated") == 300
        assert running.process.poll() is None


@pytest.mark.parametrize(
    ("settings", "code", "words"),
    [
        ({"port": "many"}, 2, "SEED_PORT='many'"),
        ({"refuse": "true"}, 2, "models[0].name is missing: add it"),
        ({"collapse": "true"}, 1, "a worker ended although nobody stopped it"),
        ({"tls_ca": "/absent"}, 2, "belong together"),
    ],
)
async def test_a_service_that_cannot_work_says_why_and_fails(
    nats: NatsServer, tmp_path: Path, settings: dict[str, str], code: int, words: str
) -> None:
    broken = Service(tmp_path, nats_url=nats.url, **settings)
    assert await broken.ended() == code
    assert words in broken.log_file.read_text()


async def test_a_port_that_is_taken_is_named(nats: NatsServer, tmp_path: Path) -> None:
    async with service(tmp_path, nats_url=nats.url) as (_, port):
        second = Service(tmp_path, "second", nats_url=nats.url, port=port)
        assert await second.ended() == 1
    assert f"cannot listen on 127.0.0.1:{port}" in second.log_file.read_text()


async def test_metrics_tell_what_became_of_records(nats: NatsServer, bus: Bus, tmp_path: Path) -> None:
    started = Service(tmp_path, nats_url=nats.url, metrics_port=_free_port())
    try:
        port = (await started.ready())["metrics_port"]
        await bus.publish_all([requested(number) for number in range(5)])
        await bus.js.publish("gyeol.seed.requested", b"\xff")
        await until_stored(bus, "gyeol.seed.generated", 5)
        await asyncio.sleep(0.3)
        text = await asyncio.to_thread(_read, f"http://127.0.0.1:{port}/metrics")
    finally:
        started.kill()
    assert 'gyeol_records_total{outcome="done",stage="seed"} 5.0' in text
    assert 'gyeol_records_total{outcome="dead",stage="seed"} 1.0' in text
    assert 'gyeol_handler_seconds_count{stage="seed"} 5.0' in text
    assert 'gyeol_fetch_age_seconds{stage="seed",stream="GYEOL_WORK"}' in text


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _read(url: str) -> str:
    with urllib.request.urlopen(url) as response:
        return str(response.read().decode())


async def test_the_run_is_in_every_line_about_a_record(nats: NatsServer, bus: Bus, tmp_path: Path) -> None:
    async with service(tmp_path, nats_url=nats.url) as (running, _):
        await bus.publish(requested(1))
        await until_stored(bus, "gyeol.seed.generated", 1)
    [line] = [line for line in running.lines if line["event"] == "seeds_requested"]
    assert (line["run_id"], line["record_id"], line["service"]) == ("run-1", "I/G@1", "seed")


async def test_a_trace_passes_through_a_service_that_records_none(nats: NatsServer, bus: Bus, tmp_path: Path) -> None:
    publication = requested(1)
    async with service(tmp_path, nats_url=nats.url):
        await bus.js.publish(
            publication.subject(), publication.payload(), headers={**publication.headers("hand"), "traceparent": TRACE}
        )
        await until_stored(bus, "gyeol.seed.generated", 1)
    message = await bus.js.get_msg("GYEOL_WORK", subject="gyeol.seed.generated")
    assert message.headers["traceparent"] == TRACE


async def test_one_trace_follows_a_record_through_messages_and_calls(
    nats: NatsServer, bus: Bus, tmp_path: Path
) -> None:
    """Hand -> NATS header -> consumer -> gRPC client -> gRPC server of another process -> NATS header."""
    traces = {name: tmp_path / "traces" / f"{name}.jsonl" for name in ("judge", "seed")}
    publication = requested(1)
    async with contextlib.AsyncExitStack() as stack:
        judge, port = await stack.enter_async_context(
            service(tmp_path, "judge", nats_url=nats.url, trace_file=traces["judge"], consume=False)
        )
        seed, _ = await stack.enter_async_context(
            service(tmp_path, nats_url=nats.url, trace_file=traces["seed"], judge_address=f"127.0.0.1:{port}")
        )
        headers = {**publication.headers("hand"), "traceparent": TRACE}
        await bus.js.publish(publication.subject(), publication.payload(), headers=headers)
        await until_stored(bus, "gyeol.seed.generated", 1)
        for running in (seed, judge):
            running.terminate()
            await running.ended()
    trace_id = TRACE.split("-")[1]
    message = await bus.js.get_msg("GYEOL_WORK", subject="gyeol.seed.generated")
    assert message.headers["traceparent"].split("-")[1] == trace_id
    spans = {name: [json.loads(line) for line in file.read_text().splitlines()] for name, file in traces.items()}
    assert {span["name"] for span in spans["seed"]} == {
        "seed gyeol.seed.requested",
        "/gyeol.api.judge.v1.JudgeService/CheckRegister",
    }
    assert [span["name"] for span in spans["judge"]] == ["/gyeol.api.judge.v1.JudgeService/CheckRegister"]
    for span in spans["seed"] + spans["judge"]:
        assert span["context"]["trace_id"] == f"0x{trace_id}"
