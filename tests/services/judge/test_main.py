"""The service as it is deployed: a process that starts, serves, stays small and drains."""

from __future__ import annotations

from pathlib import Path

import pytest

from gyeol.api.judge.v1 import judge_pb2 as pb
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub
from gyeol.chassis.errors import InvalidError
from gyeol.chassis.rpc import channel
from gyeol.chassis.settings import load
from gyeol.judge.settings import Settings
from support.nats import NatsServer, nats  # noqa: F401
from support.process import service

MEBIBYTE = 2**20


async def test_the_judge_starts_answers_and_drains(tmp_path: Path, nats: NatsServer) -> None:  # noqa: F811
    async with service("judge", tmp_path, nats.url) as judge:
        opened = channel(f"127.0.0.1:{judge.port}")
        listed = await JudgeServiceStub(opened).ListCriteria(pb.ListCriteriaRequest())
        await opened.close()
        held = judge.resident_bytes
        status = await judge.stop()

    assert len(listed.criteria) == 24
    assert status == 0
    assert held < 90 * MEBIBYTE


@pytest.mark.parametrize(
    ("name", "value"),
    [("JUDGE_LEAST_CANDIDATE", "7"), ("JUDGE_REPLY_FORMAT", "xml"), ("JUDGE_REPLY_TOKENS", "many")],
)
def test_a_wrong_setting_is_named_with_its_value(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)

    with pytest.raises(InvalidError, match=f"{name}='{value}'"):
        load(Settings)
