import asyncio

import grpc
import pytest

from gyeol.api.failure.v1 import failure_pb2
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.run.v1.run_pb2 import RunContext
from gyeol.api.seed.v1 import seed_pb2
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.clock import SystemClock
from gyeol.chassis.settings import ServiceSettings
from gyeol.seed.consumer import SeedConsumer
from gyeol.seed.domain.seed import Seed
from support.culture import korean
from support.nats import NatsServer, nats  # noqa: F401
from support.seeding import Collected, seed_service, seeding
from support.service import until

HARMFUL, BENIGN = seed_pb2.SEED_KIND_HARMFUL, seed_pb2.SEED_KIND_BENIGN
TRAIN, HELD_OUT = seed_pb2.SPLIT_TRAIN, seed_pb2.SPLIT_HELD_OUT


def _request(**changes: object) -> seed_pb2.GenerateSeedsRequest:
    fields: dict[str, object] = {
        "culture": "ko-KR",
        "stratum": "I",
        "kind": HARMFUL,
        "split": TRAIN,
        "count": 30,
        "random_seed": 7,
    }
    return seed_pb2.GenerateSeedsRequest(**{**fields, **changes})  # type: ignore[arg-type]


async def test_seeds_of_the_korean_pack_carry_everything_they_were_made_from() -> None:
    async with seed_service() as stub:
        reply = await stub.GenerateSeeds(_request(stratum="", count=200))
    assert len(reply.seeds) + len(reply.refused) == 200
    assert len({seed.type for seed in reply.seeds}) == 53
    molds = korean().pack.molds_by_id
    for seed in reply.seeds:
        assert seed.pack_digest == korean().pack.digest
        assert seed.stratum == f"{seed.domain}/{seed.category}"
        assert (seed.kind, seed.split, seed.filler) == (HARMFUL, TRAIN, "molds")
        assert set(molds[seed.mold_id].required) <= set(seed.slots)
        assert all(value in seed.text for value in seed.slots.values())
        assert seed.realism.taxonomy_fit >= 4
        assert seed.realism.depth >= 1
        assert not seed.realism.HasField("plausibility")
        assert seed.realism.plausibility_unscored.reason == failure_pb2.UNSCORED_REASON_NOT_ASKED
    assert reply.capacity > 20_000


async def test_parts_of_a_sequence_join_to_the_whole_in_whatever_order_they_are_asked_for() -> None:
    async with seed_service() as stub:
        later = await stub.GenerateSeeds(_request(offset=20, count=20))
        earlier = await stub.GenerateSeeds(_request(offset=0, count=20))
    async with seed_service() as stub:
        whole = await stub.GenerateSeeds(_request(count=40))
    ids = [seed.id for part in (earlier, later) for seed in part.seeds]
    assert ids == [seed.id for seed in whole.seeds]


async def test_held_out_seeds_share_no_mold_with_training() -> None:
    async with seed_service() as stub:
        molds = [
            {seed.mold_id for seed in (await stub.GenerateSeeds(_request(stratum="", split=split, count=500))).seeds}
            for split in (TRAIN, HELD_OUT)
        ]
    assert molds[0]
    assert molds[1]
    assert not molds[0] & molds[1]


async def test_benign_seeds_are_asked_for_by_suffix_or_by_kind() -> None:
    async with seed_service() as stub:
        by_suffix = await stub.GenerateSeeds(_request(stratum="I+benign", kind=0))
        by_kind = await stub.GenerateSeeds(_request(kind=BENIGN))
    assert by_suffix == by_kind
    assert {seed.stratum for seed in by_kind.seeds} == {"I+benign"}
    assert all(seed.mold_id in korean().pack.probes_by_id and seed.filler == "probes" for seed in by_kind.seeds)


async def test_a_count_of_nothing_tells_the_capacity() -> None:
    async with seed_service() as stub:
        reply = await stub.GenerateSeeds(_request(count=0))
    assert not reply.seeds
    assert reply.capacity > 1000


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"split": 0}, grpc.StatusCode.INVALID_ARGUMENT, "split is not set: use SPLIT_TRAIN or SPLIT_HELD_OUT"),
        ({"kind": 0}, grpc.StatusCode.INVALID_ARGUMENT, "kind is not set: use SEED_KIND_HARMFUL"),
        ({"count": 5001}, grpc.StatusCode.INVALID_ARGUMENT, "count = 5001: ask for at most 5000"),
        ({"stratum": "I+benign"}, grpc.StatusCode.INVALID_ARGUMENT, "stratum 'I+benign' is benign"),
        ({"stratum": "VI"}, grpc.StatusCode.NOT_FOUND, "ko-KR has no stratum 'VI'"),
        ({"culture": "xx-XX"}, grpc.StatusCode.NOT_FOUND, "there is no culture pack 'xx-XX'"),
    ],
)
async def test_bad_requests_are_refused_with_the_remedy(
    changes: dict[str, object], code: grpc.StatusCode, message: str
) -> None:
    async with seed_service() as stub:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.GenerateSeeds(_request(**changes))
    assert caught.value.code() == code
    assert message in (caught.value.details() or "")


async def test_a_request_becomes_records_refused_ones_included_and_a_repeated_one_nothing_new(
    nats: NatsServer,  # noqa: F811
) -> None:
    bus = await Bus.connect(ServiceSettings(nats_url=nats.url), "seed")
    await bus.ensure()
    taken = Collected()
    async with seeding() as core:
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
        run = RunContext(run_id="run", culture="ko-KR", pack_digest=korean().pack.digest, random_seed=7)
        request = seed_pb2.SeedsRequested(run=run, stratum="III", kind=HARMFUL, offset=0, count=300)
        await bus.publish(Publication(request, "run", "III@0"))
        await bus.publish(Publication(request, "run", "III@0", id="again"))
        stale = RunContext(run_id="run", culture="ko-KR", pack_digest="sha256:other")
        wrong = seed_pb2.SeedsRequested(run=stale, stratum="III", kind=HARMFUL, count=1)
        await bus.publish(Publication(wrong, "run", "III@1"))
        await until(lambda: len(taken.completed) + len(taken.dropped) >= 300 and bool(taken.failed))
        await until(lambda: len(taken.generated) >= len(taken.completed))
        await asyncio.sleep(0.3)
        for consumer in consumers:
            consumer.stop()
        await asyncio.gather(*working)
    await bus.close()
    records = [event.seed.id for event in taken.generated] + [event.record_id for event in taken.dropped]
    assert len(set(records)) == 300
    assert {event.record_id for event in taken.completed} == {event.seed.id for event in taken.generated}
    assert {event.stage for event in taken.dropped} == {"seed"}
    assert {event.reason for event in taken.dropped} == {
        failure_pb2.DROP_REASON_DUPLICATE,
        failure_pb2.DROP_REASON_UNREALISTIC,
    }
    evidence = seed_pb2.SeedGenerated.FromString(taken.dropped[0].evidence)
    assert evidence.seed.id == taken.dropped[0].record_id
    assert not any(evidence.seed.text[:10] in event.detail for event in taken.dropped)
    (failure,) = taken.failed
    assert (failure.stage, failure.meaning) == ("seed", "INVALID")
    assert "the run is pinned to ko-KR sha256:other" in failure.detail


def test_the_id_of_a_seed_depends_on_pack_mold_slots_and_text_only() -> None:
    from gyeol.seed.domain.realism import Realism
    from gyeol.seed.domain.seed import SeedKind
    from gyeol.seed.domain.split import Split

    def made(**changes: object) -> Seed:
        fields: dict[str, object] = {
            "culture": "ko-KR",
            "pack_digest": "sha256:1",
            "domain": "I",
            "category": "A",
            "type": "A.one",
            "mold": "A.one.m1",
            "slots": {"a": "가", "b": "나"},
            "text": "가나",
            "kind": SeedKind.HARMFUL,
            "split": Split.TRAIN,
            "realism": Realism(5.0, 1.0),
            "filler": "molds",
        }
        return Seed(**{**fields, **changes})  # type: ignore[arg-type]

    assert made().id == made(slots={"b": "나", "a": "가"}, realism=Realism(4.0, 3.0), filler="model").id
    assert len(made().id) == 32
    others = [made(pack_digest="sha256:2"), made(mold="A.one.m2"), made(slots={"a": "가"}), made(text="가 나")]
    others.append(made(place="0.1"))  # of a refused filling that says what another one says
    assert len({seed.id for seed in (made(), *others)}) == 6
