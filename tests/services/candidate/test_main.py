"""The service as it is deployed: a process that starts, serves, stays small and drains."""

from __future__ import annotations

from pathlib import Path

import grpc
import grpc.aio
import pytest

from gyeol.api.candidate.v1.candidate_pb2 import WriteCandidatesRequest
from gyeol.api.candidate.v1.candidate_pb2_grpc import CandidateServiceStub
from gyeol.candidate.settings import Settings
from gyeol.chassis.errors import InvalidError
from gyeol.chassis.rpc import channel
from gyeol.chassis.settings import load
from support.nats import NatsServer, nats  # noqa: F401
from support.process import service

MEBIBYTE = 2**20


async def test_the_candidate_service_starts_answers_and_drains(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811
    async with service("candidate", tmp_path, nats.url) as candidate:
        opened = channel(f"127.0.0.1:{candidate.port}")
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await CandidateServiceStub(opened).WriteCandidates(WriteCandidatesRequest())
        await opened.close()
        held = candidate.resident_bytes
        status = await candidate.stop()

    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert status == 0
    assert held < 90 * MEBIBYTE


@pytest.mark.parametrize(
    ("name", "value"),
    [("CANDIDATE_ATTEMPTS", "0"), ("CANDIDATE_PLAIN", "sometimes"), ("CANDIDATE_LEAST_COMPLIANCE", "6")],
)
def test_a_wrong_setting_is_named_with_its_value(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(InvalidError, match=f"{name}='{value}'"):
        load(Settings)
