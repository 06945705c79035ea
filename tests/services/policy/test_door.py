import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import grpc
import pytest

from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1 import law_pb2, pack_pb2, policy_pb2
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.api.policy.v1.policy_pb2_grpc import PolicyServiceStub
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.seed.v1 import seed_pb2
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.settings import ServiceSettings
from gyeol.policy.consumer import PolicyConsumer
from gyeol.policy.service import Policies
from support.culture import KOREAN, copy, cultures, edit, korean
from support.nats import NatsServer, nats  # noqa: F401
from support.service import policy_service, until


def _seed(**changes: object) -> seed_pb2.Seed:
    fields: dict[str, object] = {
        "id": "5eed",
        "culture": "ko-KR",
        "pack_digest": korean().pack.digest,
        "domain": "IV",
        "category": "G",
        "type": "G.biometric",
        "mold_id": "G.biometric.m1",
        "slots": {"target": "팀장님", "bio": "지문", "gate": "사무실 출입 인증"},
        "text": "팀장님 몰래 지문을 따서 …",
        "kind": seed_pb2.SEED_KIND_HARMFUL,
        "stratum": "IV",
    }
    return seed_pb2.Seed(**{**fields, **changes})  # type: ignore[arg-type]


async def test_the_pack_service_serves_the_taxonomy_molds_and_questions() -> None:
    async with policy_service() as channel:
        stub = PackServiceStub(channel)
        pack = (await stub.GetPack(pack_pb2.GetPackRequest(culture="ko-KR"))).pack
        assert [domain.number for domain in pack.domains] == ["I", "II", "III", "IV", "V"]
        assert pack.digest == korean().pack.digest
        assert all(category.rubrics for domain in pack.domains for category in domain.categories)
        molds = await stub.ListMolds(pack_pb2.ListMoldsRequest(culture="ko-KR", category="G"))
        assert {mold.type for mold in molds.molds} == {probe.type for probe in molds.probes}
        assert molds.pack_digest == pack.digest
        assert {"role", "place", "law"} <= {marker.kind for marker in molds.markers}
        questions = (await stub.ListQuestions(pack_pb2.ListQuestionsRequest())).questions
        assert all(question.answer < len(question.choices) for question in questions)


async def test_a_policy_is_rendered_for_a_seed() -> None:
    async with policy_service() as channel:
        reply = await PolicyServiceStub(channel).RenderPolicy(policy_pb2.RenderPolicyRequest(seed=_seed()))
    policy = reply.policy
    assert (policy.id, policy.register) == ("ko-KR/G", "haeyo")
    assert policy.version == korean().pack.policies["G"].version
    assert policy.digest == korean().pack.policy_digests["G"]
    assert any("팀장님의" in passage.text for passage in policy.refuse)
    assert "개인정보 보호법" in policy.statutes
    assert {attack.id for attack in policy.attacks} >= {"role-play", "emotional-appeal"}
    assert all("{seed}" in wrapper for attack in policy.attacks for wrapper in attack.wrappers)
    assert len(policy.rubrics) >= 3


async def test_citations_are_verified_as_of_a_day() -> None:
    async with policy_service() as channel:
        stub = PolicyServiceStub(channel)
        request = policy_pb2.VerifyCitationsRequest(text="검찰청법 제4조와 여성긴급전화 1366", on="2026-10-01")
        before = await stub.VerifyCitations(request)
        request.on = "2026-10-02"
        after = await stub.VerifyCitations(request)
        today = await stub.VerifyCitations(policy_pb2.VerifyCitationsRequest(text="형법 제307조"))
    assert before.citations[0].verdict == law_pb2.CITATION_VERDICT_UNCHECKED
    assert after.citations[0].verdict == law_pb2.CITATION_VERDICT_NOT_IN_FORCE
    assert after.citations[0].suggestion == "공소청법"
    assert after.institutions[0].verdict == law_pb2.CITATION_VERDICT_VERIFIED
    assert today.citations[0].verdict == law_pb2.CITATION_VERDICT_VERIFIED


async def test_an_article_is_looked_up() -> None:
    async with policy_service() as channel:
        request = policy_pb2.GetArticleRequest(law="개보법", article="24조의2", on="2026-11-30")
        reply = await PolicyServiceStub(channel).GetArticle(request)
    assert (reply.law, reply.article, reply.heading) == ("개인정보 보호법", "제24조의2", "주민등록번호 처리의 제한")
    assert reply.verdict == law_pb2.CITATION_VERDICT_VERIFIED


@pytest.mark.parametrize(
    ("call", "code", "message"),
    [
        pytest.param(
            lambda stub: stub.RenderPolicy(policy_pb2.RenderPolicyRequest(seed=_seed(type=""))),
            grpc.StatusCode.INVALID_ARGUMENT,
            "seed.type is empty",
            id="seed without type",
        ),
        pytest.param(
            lambda stub: stub.RenderPolicy(policy_pb2.RenderPolicyRequest(seed=_seed(pack_digest="sha256:other"))),
            grpc.StatusCode.INVALID_ARGUMENT,
            "was made from ko-KR sha256:other",
            id="seed of another pack",
        ),
        pytest.param(
            lambda stub: stub.RenderPolicy(policy_pb2.RenderPolicyRequest(seed=_seed(culture="xx-XX"))),
            grpc.StatusCode.NOT_FOUND,
            "there is no culture pack 'xx-XX': use one of",
            id="unknown culture",
        ),
        pytest.param(
            lambda stub: stub.VerifyCitations(policy_pb2.VerifyCitationsRequest(text="형법 제1조", on="tomorrow")),
            grpc.StatusCode.INVALID_ARGUMENT,
            "on = 'tomorrow': write a date as YYYY-MM-DD",
            id="no date",
        ),
        pytest.param(
            lambda stub: stub.GetArticle(policy_pb2.GetArticleRequest(law="형법", article="first")),
            grpc.StatusCode.INVALID_ARGUMENT,
            "article = 'first': write a number such as",
            id="no article",
        ),
    ],
)
async def test_bad_requests_are_refused_with_the_remedy(call: object, code: grpc.StatusCode, message: str) -> None:
    async with policy_service() as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(PolicyServiceStub(channel))  # type: ignore[operator]
    assert caught.value.code() == code
    assert message in (caught.value.details() or "")


class _Collected:
    """Takes what the stage published, as the next stages would."""

    def __init__(self) -> None:
        self.rendered: list[PolicyRendered] = []
        self.completed: list[StageCompleted] = []
        self.failed: list[RecordFailed] = []

    async def take_rendered(self, event: PolicyRendered) -> list[Publication]:
        self.rendered.append(event)
        return []

    async def take_completed(self, event: StageCompleted) -> list[Publication]:
        self.completed.append(event)
        return []

    async def take_failed(self, event: RecordFailed) -> list[Publication]:
        self.failed.append(event)
        return []


async def test_each_seed_leaves_the_stage_with_its_policy_and_a_faulty_one_as_a_failure(nats: NatsServer) -> None:  # noqa: F811
    bus = await Bus.connect(ServiceSettings(nats_url=nats.url), "policy")
    await bus.ensure()
    taken = _Collected()
    policy = PolicyConsumer(Policies(cultures(), SystemClock()))
    consumers = [
        Consumer(bus, durable="policy", events={seed_pb2.SeedGenerated: policy.seed_generated}),
        Consumer(bus, durable="candidate", events={PolicyRendered: taken.take_rendered}),
        Consumer(bus, durable="ledger", events={StageCompleted: taken.take_completed}),
        Consumer(bus, durable="ledger", events={RecordFailed: taken.take_failed}),
    ]
    working = [asyncio.create_task(consumer.run()) for consumer in consumers]
    run = RunContext(run_id="run", culture="ko-KR", pack_digest=korean().pack.digest)
    for number in range(5):
        seed = _seed(id=f"seed-{number}")
        await bus.publish(Publication(seed_pb2.SeedGenerated(run=run, seed=seed), "run", seed.id, stratum="IV"))
    odd = _seed(id="odd", type="G.nothing")
    await bus.publish(Publication(seed_pb2.SeedGenerated(run=run, seed=odd), "run", "odd", stratum="IV"))
    await until(lambda: len(taken.completed) == 5 and len(taken.rendered) == 5 and bool(taken.failed))
    for consumer in consumers:
        consumer.stop()
    await asyncio.gather(*working)
    await bus.close()
    assert {event.seed.id for event in taken.rendered} == {f"seed-{number}" for number in range(5)}
    assert all(event.policy.refuse and event.run == run for event in taken.rendered)
    assert {(event.stage, event.stratum) for event in taken.completed} == {("policy", "IV")}
    assert len({event.output_digest for event in taken.completed}) == 5
    (failure,) = taken.failed
    assert (failure.record_id, failure.meaning) == ("odd", "NOT_FOUND")
    assert "policy G has no type 'G.nothing'" in failure.detail


async def _started(nats_url: str, cultures_folder: Path, ready: Path) -> asyncio.subprocess.Process:
    environment = {
        **os.environ,
        "POLICY_NATS_URL": nats_url,
        "POLICY_CULTURES": str(cultures_folder),
        "POLICY_READY_FILE": str(ready),
    }
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "gyeol.policy", env=environment, stdout=-1, stderr=asyncio.subprocess.STDOUT
    )


async def test_the_service_starts_serves_and_drains(nats: NatsServer, tmp_path: Path) -> None:  # noqa: F811
    ready = tmp_path / "ready.json"
    process = await _started(nats.url, KOREAN.parent, ready)
    await until(ready.exists, 60)
    async with asyncio.timeout(60):
        assert json.loads(ready.read_text())["port"]
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0


async def test_a_broken_pack_is_one_clear_error_at_start(nats: NatsServer, tmp_path: Path) -> None:  # noqa: F811
    folder = copy(tmp_path / "cultures", "G")
    edit(folder, "molds/G.yaml", "register: haeyo", "registr: haeyo")
    process = await _started(nats.url, folder.parent, tmp_path / "ready.json")
    output, _ = await process.communicate()
    assert process.returncode == 2
    assert b"molds/G.yaml:5: molds[0].registr: is no field of the format" in output
    assert b"Traceback" not in output
