"""The service as it is deployed: a process that starts, serves, stays small and drains."""

from __future__ import annotations

from pathlib import Path

import grpc
import grpc.aio
import pytest

from gyeol.api.seed.v1.seed_pb2 import GenerateSeedsRequest
from gyeol.api.seed.v1.seed_pb2_grpc import SeedServiceStub
from gyeol.chassis.errors import InvalidError
from gyeol.chassis.rpc import channel
from gyeol.chassis.settings import load
from gyeol.seed.settings import Settings
from support.nats import NatsServer, nats  # noqa: F401
from support.process import service

MEBIBYTE = 2**20


async def test_the_seed_service_starts_answers_and_drains(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811
    async with service("seed", tmp_path, nats.url) as seed:
        opened = channel(f"127.0.0.1:{seed.port}")
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await SeedServiceStub(opened).GenerateSeeds(GenerateSeedsRequest())
        await opened.close()
        held = seed.resident_bytes
        status = await seed.stop()

    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert status == 0
    assert held < 90 * MEBIBYTE


@pytest.mark.parametrize(
    ("name", "value"),
    [("SEED_LOWEST_PLAUSIBILITY", "6"), ("SEED_REPLY_FORMAT", "xml"), ("SEED_REPLY_TOKENS", "1")],
)
def test_a_wrong_setting_is_named_with_its_value(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(InvalidError, match=f"{name}='{value}'"):
        load(Settings)
