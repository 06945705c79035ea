"""The broker that the chart configures, run for real with the users that the chart's job makes."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gyeol.api.seed.v1.seed_pb2 import SeedsRequested
from gyeol.chassis.bus import Bus, Publication
from gyeol.chassis.settings import ServiceSettings
from gyeol.cluster import credential
from support.helm import Helm, one

PROGRAM = Path(sys.executable).parent / "nats-server"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def broker(tool: Helm, tmp_path: Path) -> Iterator[str]:
    """A server with the rendered configuration beside `users.conf`, as the projected volume lays them out."""
    port = free_port()
    text = one(tool.world("default"), "ConfigMap", "gyeol-nats")["data"]["nats.conf"]
    text = re.sub(r"listen: 0\.0\.0\.0:4222", f"listen: 127.0.0.1:{port}", text)
    text = re.sub(r"http: 0\.0\.0\.0:8222", "http: 127.0.0.1:0", text).replace("/data", str(tmp_path / "data"))
    (tmp_path / "nats.conf").write_text(text)
    for name, value in credential.nats_users({}).items():
        (tmp_path / name).write_bytes(value)
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen([PROGRAM, "--config", tmp_path / "nats.conf"], stdout=log, stderr=log)
    try:
        for _ in range(400):
            assert process.poll() is None, (tmp_path / "log").read_text()
            try:
                socket.create_connection(("127.0.0.1", port), timeout=0.2).close()
                break
            except OSError:
                time.sleep(0.025)
        yield f"nats://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def test_the_volume_lays_the_users_beside_the_configuration(tool: Helm) -> None:
    """A path in `include` is relative to the file, even one that begins with a slash."""
    spec = one(tool.world("default"), "StatefulSet", "gyeol-nats")["spec"]["template"]["spec"]
    sources = next(volume for volume in spec["volumes"] if volume["name"] == "config")["projected"]["sources"]
    assert sources[0]["configMap"]["name"] == "gyeol-nats"
    assert sources[1]["secret"]["items"][0] == {"key": "users.conf", "path": "users.conf", "mode": 0o440}


async def test_services_come_in_with_their_seeds(broker: str, tmp_path: Path) -> None:
    for name, ensure in (("ledger", True), ("cluster", False)):
        settings = ServiceSettings(nats_url=broker, nats_credentials=tmp_path / f"{name}.nk", nats_ensure=ensure)
        bus = await Bus.connect(settings, name, seconds=10)
        await bus.ensure()
        if name == "cluster":
            assert await bus.publish(Publication(SeedsRequested(), "run-1", "one"))
        await bus.close()
