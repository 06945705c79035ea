"""The gateway as a process: it refuses an open door, serves both its doors, and drains on SIGTERM."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import yaml
from grpc_health.v1 import health_pb2, health_pb2_grpc

from gyeol.chassis.rpc import channel
from support.nats import NatsServer


def start(folder: Path, **settings: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {f"GATEWAY_{name}": value for name, value in settings.items()}
    with (folder / "log").open("ab") as log:
        return subprocess.Popen([sys.executable, "-m", "gyeol.gateway"], env=environment, stdout=log, stderr=log)


async def http_port(folder: Path, process: subprocess.Popen[bytes]) -> int:
    for _ in range(1200):
        text = (folder / "log").read_text()
        for line in text.splitlines():
            if '"http_ready"' in line and (folder / "ready.json").exists():
                return int(json.loads(line)["port"])
        if process.poll() is not None:
            raise RuntimeError(text)
        await asyncio.sleep(0.05)
    raise RuntimeError((folder / "log").read_text())


async def test_a_gateway_serves_and_drains(nats: NatsServer, tmp_path: Path) -> None:
    ready = tmp_path / "ready.json"
    process = start(tmp_path, NATS_URL=nats.url, HTTP_PORT="0", READY_FILE=str(ready))
    port = await http_port(tmp_path, process)
    async with httpx.AsyncClient() as client:
        assert (await client.get(f"http://127.0.0.1:{port}/health/live")).text == "ok\n"
        assert (await client.get(f"http://127.0.0.1:{port}/health/ready")).status_code == 503
    async with channel(f"127.0.0.1:{json.loads(ready.read_text())['port']}") as opened:
        answer = await health_pb2_grpc.HealthStub(opened).Check(health_pb2.HealthCheckRequest())
    assert answer.status == health_pb2.HealthCheckResponse.SERVING
    process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(process.wait) == 0


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"HTTP_HOST": "0.0.0.0"}, "GATEWAY_HTTP_HOST='0.0.0.0'"),
        ({"TOKENS_FILE": "/nowhere.yaml"}, "GATEWAY_TOKENS_FILE='/nowhere.yaml'"),
    ],
    ids=["an open door", "no token file"],
)
async def test_a_gateway_that_would_let_anybody_in_does_not_start(
    nats: NatsServer,
    tmp_path: Path,
    settings: dict[str, str],
    complaint: str,
) -> None:
    process = start(tmp_path, NATS_URL=nats.url, HTTP_PORT="0", **settings)
    assert await asyncio.to_thread(process.wait) == 2
    assert complaint in (tmp_path / "log").read_text()


def test_the_token_command_shows_a_token_once_and_prints_what_to_keep() -> None:
    command = [sys.executable, "-m", "gyeol.gateway", "token", "--name", "kim", "--role", "reviewer"]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    secret = re.search(r"gyeol_kim_\S+", made.stderr)
    entry = yaml.safe_load(made.stdout)["tokens"][0]
    assert secret is not None
    assert (entry["name"], entry["role"]) == ("kim", "reviewer")
    assert secret[0] not in made.stdout
    wrong = subprocess.run([*command[:-1], "king"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "--role='king'" in wrong.stderr
