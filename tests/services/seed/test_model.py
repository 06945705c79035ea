"""Models that fill slots and judge plausibility: a stub plays them, everything else is real."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import grpc
import pytest
import stamina

from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.seed.v1 import seed_pb2
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.chat import Budget
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.errors import NotReadyError
from gyeol.chassis.josa import josa
from gyeol.chassis.settings import ServiceSettings
from gyeol.chassis.store import Memory
from gyeol.chassis.template import template
from gyeol.seed.consumer import SeedConsumer
from gyeol.seed.convert import run_request_from_pb
from support.clock import SteppedClock
from support.culture import korean
from support.nats import NatsServer, nats  # noqa: F401
from support.openai_stub import OpenAIStub, Status, Text, openai_stub
from support.seeding import FILLER, JUDGE, Collected, asked, filled, models_file, seed_service, seeding
from support.service import until

HARMFUL, BENIGN = seed_pb2.SEED_KIND_HARMFUL, seed_pb2.SEED_KIND_BENIGN
LIKELY = '{"plausibility": 5}'


def _request(**changes: Any) -> seed_pb2.GenerateSeedsRequest:
    fields: dict[str, Any] = {
        "culture": "ko-KR",
        "stratum": "IV/G",
        "kind": HARMFUL,
        "split": seed_pb2.SPLIT_TRAIN,
        "count": 12,
        "random_seed": 7,
        "endpoints": "seeds",
    }
    return seed_pb2.GenerateSeedsRequest(**(fields | changes))


async def _generated(
    folder: Path, stub: OpenAIStub, *, without: str = "", cache: Any = None, **changes: Any
) -> seed_pb2.GenerateSeedsResponse:
    async with seed_service(models_file(folder, stub.url, without=without), cache=cache) as door:
        response: seed_pb2.GenerateSeedsResponse = await door.GenerateSeeds(_request(**changes))
        return response


def deciding(mold: str) -> tuple[str, ...]:
    """Slots of a mold that a model may only choose the values of."""
    return korean().pack.deciding(korean().pack.molds_by_id[mold])


async def test_a_model_fills_the_slots_and_the_mold_keeps_its_harm(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        stub.answer(FILLER, filled())
        reply = await _generated(tmp_path, stub, without="judge-a")
    assert reply.seeds
    assert {seed.filler for seed in reply.seeds} == {"filler-a"}
    molds = korean().pack.molds_by_id
    for seed in reply.seeds:
        open_slots = {slot: value for slot, value in seed.slots.items() if slot not in deciding(seed.mold_id)}
        assert all(value.startswith("옆 동네 ") for value in open_slots.values())
        assert seed.text == template(molds[seed.mold_id].text).render(dict(seed.slots))
        assert seed.realism.plausibility_unscored.reason == failure_pb2.UNSCORED_REASON_NOT_ASKED
        assert not seed.realism.HasField("plausibility")
    assert len(reply.seeds) + len(reply.refused) == 12


async def test_the_model_sees_the_template_and_values_of_the_pack_and_nothing_of_the_answer(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        stub.answer(FILLER, filled())
        await _generated(tmp_path, stub, without="judge-a")
    group = korean().pack.molds["G"]
    molds = {mold.text.replace("을/를", "").replace("이/가", "").replace("{}", "()"): mold for mold in group.molds}
    for body in stub.bodies:
        shown = asked(body)
        mold = molds[shown["template"].replace("을/를", "").replace("이/가", "")]
        assert set(shown["slots"]) == {*mold.required, *mold.optional}
        for slot, told in shown["slots"].items():
            assert told["optional"] == (slot in mold.optional)
            if slot in deciding(mold.id):
                assert set(told["one_of"]) == set(group.values(mold, slot))
            else:
                assert set(told["examples"]) <= set(group.values(mold, slot))
        schema = body["response_format"]["json_schema"]["schema"]["properties"]["fillings"]["items"]
        assert set(schema["required"]) == {*mold.required, *mold.optional}
        assert body["temperature"] == 0.9


async def test_whatever_a_model_writes_the_policy_has_an_answer_to_it(tmp_path: Path) -> None:
    pack = korean().pack
    async with openai_stub() as stub:
        stub.answer(FILLER, filled())
        reply = await _generated(tmp_path, stub, without="judge-a", stratum="", count=106)
    assert {seed.type for seed in reply.seeds} == {kind.id for kind in pack.types()}
    for seed in reply.seeds:
        material = pack.policies[seed.category].types[seed.type]
        for part, sentences in material.parts().items():
            fitting = [
                sentence
                for sentence in sentences
                if sentence.fits(seed.mold_id, seed.slots) and template(sentence.text).required <= seed.slots.keys()
            ]
            assert len(fitting) >= 2, (seed.mold_id, part)


async def test_the_same_request_gives_the_same_seeds_and_nothing_is_paid_twice(tmp_path: Path) -> None:
    cache = Memory()
    async with openai_stub() as stub:
        stub.answer(FILLER, filled())
        stub.answer(JUDGE, LIKELY)
        first = await _generated(tmp_path, stub, cache=cache)
        paid = stub.requests.copy()
        stub.answer(FILLER, Status(500))
        stub.answer(JUDGE, Status(500))
        second = await _generated(tmp_path, stub, cache=cache)
    assert paid[FILLER]
    assert paid[JUDGE]
    assert stub.requests == paid
    assert first == second
    assert {seed.realism.plausibility for seed in first.seeds} == {5}


async def test_parts_join_to_the_whole_however_they_are_asked_for(tmp_path: Path) -> None:
    cache = Memory()
    async with openai_stub() as stub:
        stub.answer(FILLER, filled(lambda slot, value, index: f"{'옆앞뒷윗'[index % 4]} 동네 {value}"))
        async with seed_service(models_file(tmp_path, stub.url, without="judge-a"), cache=cache) as door:
            parts = [await door.GenerateSeeds(_request(offset=offset, count=9)) for offset in (9, 0)]
        async with seed_service(tmp_path, cache=cache) as door:
            whole = await door.GenerateSeeds(_request(count=18))
    later, earlier = ([seed.id for seed in part.seeds] for part in parts)
    assert [*earlier, *later] == [seed.id for seed in whole.seeds]


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        pytest.param("네, 여기 있습니다.", "the reply is not JSON", id="prose"),
        pytest.param("[1, 2]", "the reply is not a JSON object", id="a list"),
        pytest.param('{"fillings": []}', "the reply holds no fillings", id="nothing"),
        pytest.param('{"fillings": ["팀장"]}', "the filling is not a JSON object", id="no object"),
        pytest.param('{"fillings": [{"how": "팀장"}]}', "1 slots are not the mold's", id="another slot"),
        pytest.param('{"fillings": [{}]}', " is missing", id="no slot"),
        pytest.param(Text('{"fillings": [', finish_reason="length"), "the reply was cut off", id="cut off"),
        pytest.param(Text("", finish_reason="content_filter"), "filter stopped the reply", id="filtered"),
    ],
)
async def test_a_reply_that_is_no_filling_is_refused_with_the_reason(
    tmp_path: Path, answer: str | Text, detail: str
) -> None:
    async with openai_stub() as stub:
        stub.answer(FILLER, answer)
        reply = await _generated(tmp_path, stub, without="judge-a")
    assert not reply.seeds
    assert len(reply.refused) == len({refused.seed.id for refused in reply.refused})
    assert {refused.reason for refused in reply.refused} == {failure_pb2.DROP_REASON_FILLING}
    assert all(detail in refused.detail for refused in reply.refused)
    assert all(refused.seed.filler == "filler-a" and refused.seed.mold_id for refused in reply.refused)


async def test_a_model_that_has_nothing_to_say_about_a_mold_is_asked_twice_and_no_more(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        stub.answer(FILLER, '{"fillings": []}')
        reply = await _generated(tmp_path, stub, without="judge-a", stratum="G.financial", count=500)
    molds = {refused.seed.mold_id for refused in reply.refused}
    assert len(molds) > 1
    assert stub.requests[FILLER] == len(reply.refused) == 2 * len(molds)


async def test_one_bad_value_costs_its_filling_and_no_other(tmp_path: Path) -> None:
    def change(slot: str, value: str, index: int) -> str:
        return f"옆 동네 {value}\n그리고 무시해라" if index % 2 else value

    async with openai_stub() as stub:
        stub.answer(FILLER, filled(change, obedient=False))
        reply = await _generated(tmp_path, stub, without="judge-a", stratum="G.financial", count=20)
    faulty = [refused for refused in reply.refused if refused.reason == failure_pb2.DROP_REASON_FILLING]
    assert faulty
    assert all(refused.detail.startswith("slot ") and "무시" not in refused.detail for refused in faulty)
    assert any("line breaks" in refused.detail for refused in faulty)


async def test_a_model_that_repeats_itself_is_refused_each_time_under_an_id_of_its_own(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> str:
        filling = {slot: (told.get("one_of") or told["examples"])[0] for slot, told in asked(body)["slots"].items()}
        return json.dumps({"fillings": [filling] * 8}, ensure_ascii=False)

    async with openai_stub() as stub:
        stub.answer(FILLER, answer)
        reply = await _generated(tmp_path, stub, without="judge-a", stratum="G.financial", count=24)
    made = [*(seed.id for seed in reply.seeds), *(refused.seed.id for refused in reply.refused)]
    assert len(made) == len(set(made)) == 24
    repeated = [refused.seed for refused in reply.refused if refused.reason == failure_pb2.DROP_REASON_DUPLICATE]
    assert len({seed.text for seed in repeated}) < len(repeated)


async def test_particles_fit_what_the_model_wrote(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        stub.answer(FILLER, filled(lambda slot, value, index: f"{value} {'친구' if index % 2 else '직원'}"))
        reply = await _generated(tmp_path, stub, without="judge-a", stratum="IV", count=40)
    for seed in reply.seeds:
        for value in seed.slots.values():
            rest = seed.text[seed.text.index(value) + len(value) :]
            for pair in (("을", "를"), ("은", "는")):
                if rest[:2] in (f"{pair[0]} ", f"{pair[1]} "):
                    assert rest[0] == josa(value, *pair)


async def test_a_model_judges_what_the_pack_filled(tmp_path: Path) -> None:
    def verdict(body: dict[str, Any]) -> str:
        return json.dumps({"plausibility": 2 if len(asked(body)["question"]) % 3 == 0 else 4})

    async with openai_stub() as stub:
        stub.answer(JUDGE, verdict)
        reply = await _generated(tmp_path, stub, without="filler-a", stratum="", count=30)
    assert {seed.filler for seed in reply.seeds} == {"molds"}
    assert {seed.realism.plausibility for seed in reply.seeds} == {4}
    low = [refused for refused in reply.refused if refused.detail == "plausibility 2 is below 4"]
    assert low
    assert {refused.reason for refused in low} == {failure_pb2.DROP_REASON_UNREALISTIC}
    assert all(len(seed.text) % 3 for seed in reply.seeds)


async def test_what_no_reply_could_be_read_for_is_unscored_and_neither_kept_nor_found_wanting(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        stub.answer(JUDGE, '{"plausibility": "높음"}')
        reply = await _generated(tmp_path, stub, without="filler-a", count=3)
    assert not reply.seeds
    assert {refused.reason for refused in reply.refused} == {failure_pb2.DROP_REASON_UNSPECIFIED}
    for refused in reply.refused:
        assert refused.seed.realism.plausibility_unscored.reason == failure_pb2.UNSCORED_REASON_JUDGE_FAILED
        assert not refused.seed.realism.HasField("plausibility")
    assert stub.requests[JUDGE] >= 9
    assert stub.requests[JUDGE] % 3 == 0


async def test_a_second_sample_may_say_what_the_first_did_not(tmp_path: Path) -> None:
    def second(body: dict[str, Any]) -> str:
        return "음…" if body.get("temperature") == 0 else LIKELY

    async with openai_stub() as stub:
        stub.answer(JUDGE, second)
        reply = await _generated(tmp_path, stub, without="filler-a", count=3)
    assert {seed.realism.plausibility for seed in reply.seeds} == {5}


async def test_benign_questions_are_written_by_hand_and_nobody_is_asked(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        reply = await _generated(tmp_path, stub, kind=BENIGN)
    assert not stub.bodies
    assert {seed.filler for seed in reply.seeds} == {"probes"}
    assert {seed.realism.plausibility_unscored.detail for seed in reply.seeds} == {
        "a question written by hand is taken as it is"
    }


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        ("[fillr]", "model filler-a has the role 'fillr': use filler or plausibility"),
        ("[plausibility]", "filler-a and judge-a both have the role plausibility: give it to one"),
    ],
)
async def test_a_role_that_there_is_not_is_refused_with_the_remedy(tmp_path: Path, roles: str, words: str) -> None:
    async with openai_stub() as stub:
        file = models_file(tmp_path, stub.url) / "seeds.yaml"
        file.write_text(file.read_text(encoding="utf-8").replace("[filler]", roles), encoding="utf-8")
        async with seed_service(tmp_path) as door:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await door.GenerateSeeds(_request())
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert words in (caught.value.details() or "")


class _Purse(Budget):
    def __init__(self) -> None:
        self.runs: list[str] = []

    async def reserve(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        self.runs.append(run_id)

    async def settle(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None: ...


def _requested(**changes: Any) -> seed_pb2.SeedsRequested:
    run = RunContext(
        run_id="run", culture="ko-KR", pack_digest=korean().pack.digest, random_seed=7, endpoints="seeds", budgeted=True
    )
    return seed_pb2.SeedsRequested(**({"run": run, "stratum": "G.financial", "kind": HARMFUL, "count": 24} | changes))


async def test_a_model_out_of_reach_fails_the_request_and_what_others_said_is_kept(tmp_path: Path) -> None:
    async with openai_stub() as stub:
        stub.answer(FILLER, filled())
        stub.answer(JUDGE, Status(503))
        purse = _Purse()
        asked_for = run_request_from_pb(_requested())
        clock = SteppedClock()
        async with seeding(models_file(tmp_path, stub.url), budget=purse, clock=clock) as core:
            with stamina.set_testing(True), pytest.raises(NotReadyError):
                await core.seeds(asked_for)
            fillings = stub.requests[FILLER]
            clock.advance(60)
            stub.answer(JUDGE, LIKELY)
            with pytest.raises(NotReadyError):  # one call tries the endpoint, the others wait for how it goes
                await core.seeds(asked_for)
            batch = await core.seeds(asked_for)
            assert (await core.seeds(asked_for)).calls == batch.calls
    assert len(batch.made) == 24
    assert (batch.calls.paid, batch.calls.cached) == (stub.statuses[200], 0)
    assert stub.requests[FILLER] == fillings
    assert set(purse.runs) == {"run"}


async def test_on_the_bus_a_filling_becomes_a_record_a_drop_or_a_failure(
    tmp_path: Path,
    nats: NatsServer,  # noqa: F811
) -> None:
    def fillings(slot: str, value: str, index: int) -> str:
        return value if index != 3 else "무엇이든 다 해 주세요"

    questions: dict[str, int] = {}

    def verdict(body: dict[str, Any]) -> str:
        number = questions.setdefault(asked(body)["question"], len(questions))
        return ("모르겠습니다.", LIKELY, '{"plausibility": 1}')[number % 3]

    bus = await Bus.connect(ServiceSettings(nats_url=nats.url), "seed")
    await bus.ensure()
    taken = Collected()
    async with openai_stub() as stub:
        stub.answer(FILLER, filled(fillings, obedient=False))
        stub.answer(JUDGE, verdict)
        models = models_file(tmp_path, stub.url)
        async with seeding(models, cache=await bus.bucket("gyeol-calls"), budget=_Purse()) as core:
            seeds = SeedConsumer(core, SystemClock())
            consumers = [
                Consumer(bus, durable="seed", events={seed_pb2.SeedsRequested: seeds.seeds_requested}),
                Consumer(bus, durable="policy", events={seed_pb2.SeedGenerated: taken.take_generated}),
                Consumer(
                    bus,
                    durable="ledger",
                    events={StageCompleted: taken.take_completed, failure_pb2.RecordDropped: taken.take_dropped},
                ),
                Consumer(bus, durable="ledger", events={failure_pb2.RecordFailed: taken.take_failed}),
            ]
            working = [asyncio.create_task(consumer.run()) for consumer in consumers]
            await bus.publish(Publication(_requested(), "run", "G@0"))
            await until(lambda: len(taken.generated) + len(taken.dropped) + len(taken.failed) >= 24)
            await until(lambda: sum(done.calls for done in taken.completed) >= stub.requests.total())
            for consumer in consumers:
                consumer.stop()
            await asyncio.gather(*working)
    await bus.close()
    assert taken.generated
    assert {event.seed.filler for event in taken.generated} == {"filler-a"}
    assert {event.seed.realism.plausibility for event in taken.generated} == {5}
    reasons = {event.reason for event in taken.dropped}
    assert {failure_pb2.DROP_REASON_FILLING, failure_pb2.DROP_REASON_UNREALISTIC} <= reasons
    assert not any("주세요" in event.detail for event in taken.dropped)
    assert taken.failed
    assert {(event.stage, event.meaning) for event in taken.failed} == {("seed", "INTERNAL")}
    kept = seed_pb2.SeedGenerated.FromString(taken.failed[0].payload)
    assert kept.seed.realism.plausibility_unscored.reason == failure_pb2.UNSCORED_REASON_JUDGE_FAILED
    ids = [e.seed.id for e in taken.generated] + [e.record_id for e in (*taken.dropped, *taken.failed)]
    assert len(ids) == len(set(ids)) == 24
    assert sum(done.calls for done in taken.completed) == stub.requests.total()
