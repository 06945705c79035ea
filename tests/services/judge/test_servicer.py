"""The gRPC door over a real channel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import grpc.aio
import pytest

from gyeol.api.candidate.v1.candidate_pb2 import ChatMessage
from gyeol.api.failure.v1.failure_pb2 import UNSCORED_REASON_MODEL_FAILED
from gyeol.api.judge.v1 import judge_pb2 as pb
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceStub, add_JudgeServiceServicer_to_server
from gyeol.api.score.v1.score_pb2 import STANCE_ANSWERED, STANCE_REFUSED
from gyeol.chassis.chat import Chat
from gyeol.chassis.rpc import Door
from gyeol.chassis.store import Memory
from gyeol.judge.bench import builtin
from gyeol.judge.endpoint import Benches
from gyeol.judge.law import PolicyLaw
from gyeol.judge.lexicon import criteria, lexicon, panel_criteria
from gyeol.judge.service import Judging, Thresholds
from gyeol.judge.servicer import LONGEST_TEXT, JudgeServicer
from gyeol.judge.turn import Turns
from support.clock import SteppedClock
from support.judging import ANSWER, OVERREFUSAL, SAFE, UNSAFE, LawBook, law_door, policy, run, serving, written
from support.record import seed


@asynccontextmanager
async def judge() -> AsyncIterator[JudgeServiceStub]:
    async with serving(law_door(LawBook())) as law:
        chat = Chat(cache=Memory())
        benches = Benches(
            builtin(lexicon()), chat, Path("nowhere"), panel_criteria(), reply_format="none", max_tokens=64
        )
        judging = Judging(benches, PolicyLaw(law), Turns(Memory()), Thresholds())
        servicer = JudgeServicer(judging, lexicon().wordings, criteria(), SteppedClock())
        async with serving(Door(add_JudgeServiceServicer_to_server, servicer)) as channel:
            yield JudgeServiceStub(channel)
        await chat.close()


def request(response: str, *, benign: bool = False, **changes: object) -> pb.ScoreResponseRequest:
    of = seed(1, benign=benign)
    return pb.ScoreResponseRequest(
        seed=of,
        policy=policy(),
        prompt=[ChatMessage(role="user", content=of.text)],
        response=response,
        **changes,  # type: ignore[arg-type]
    )


async def test_a_record_can_be_judged_without_publishing_it() -> None:
    async with judge() as stub:
        accepted = await stub.JudgeCandidates(pb.JudgeCandidatesRequest(written=written()))
        dropped = await stub.JudgeCandidates(pb.JudgeCandidatesRequest(written=written(rejected=OVERREFUSAL)))

    assert accepted.WhichOneof("outcome") == "accepted"
    assert dropped.WhichOneof("outcome") == "dropped"
    assert dropped.dropped.detail.startswith("safety: c3")


async def test_help_and_refusal_are_scored_without_a_run() -> None:
    async with judge() as stub:
        helped = (await stub.ScoreResponse(request(UNSAFE))).score
        refused = (await stub.ScoreResponse(request("도와드릴 수 없어요."))).score

    assert (helped.judge, helped.compliance, helped.safe, helped.refused) == ("panel", 5, False, False)
    assert (refused.compliance, refused.safe, refused.refused) == (1, True, True)
    assert (helped.stance, refused.stance) == (STANCE_ANSWERED, STANCE_REFUSED)
    assert [rubric.met for rubric in helped.rubrics] == [False]
    assert not helped.HasField("coherence")


async def test_silence_is_unscored_and_never_safe() -> None:
    async with judge() as stub:
        score = (await stub.ScoreResponse(request(""))).score

    assert score.unscored.reason == UNSCORED_REASON_MODEL_FAILED
    assert not score.HasField("safe")
    assert not score.HasField("compliance")
    assert not score.HasField("refused")


async def test_a_benign_question_is_measured_by_whether_it_is_answered() -> None:
    async with judge() as stub:
        answered = (await stub.ScoreResponse(request(ANSWER, benign=True))).score
        refused = (await stub.ScoreResponse(request(OVERREFUSAL, benign=True))).score

    assert (answered.refused, answered.safe) == (False, True)
    assert (refused.refused, refused.safe) == (True, True)


async def test_coherence_is_scored_when_it_is_asked_for_and_says_which_judge_found_what() -> None:
    async with judge() as stub:
        response = await stub.ScoreResponse(request(SAFE["statute-first"], with_coherence=True))

    assert response.score.coherence >= 4
    assert [score.judge for score in response.by_judge] == ["safety", "grounding", "register"]
    assert (response.calls, response.cached_calls) == (0, 0)


async def test_judges_that_cannot_tell_safety_are_refused_with_a_remedy() -> None:
    async with judge() as stub:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await stub.ScoreResponse(request(UNSAFE, run=run(judges=["register"])))

    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "add `safety`" in (error.value.details() or "")


async def test_a_seed_without_a_kind_is_refused_by_name() -> None:
    broken = request(UNSAFE)
    broken.seed.kind = 0
    async with judge() as stub:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await stub.ScoreResponse(broken)

    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "seed.kind" in (error.value.details() or "")


async def test_faults_of_register_come_with_place_and_remedy() -> None:
    text = "당신의 마음을 이해해요. 책를 읽어 보세요."
    async with judge() as stub:
        faults = (await stub.CheckRegister(pb.CheckRegisterRequest(text=text))).faults

    assert [fault.kind for fault in faults] == ["you-pronoun", "josa"]
    assert all(fault.remedy for fault in faults)
    assert text[faults[0].start : faults[0].end] == "당신의"


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (pb.CheckRegisterRequest(text="네.", register="banmal"), "register='banmal'"),
        (pb.CheckRegisterRequest(text="가" * (LONGEST_TEXT + 1)), "characters"),
    ],
)
async def test_an_unknown_register_or_an_endless_text_is_refused(asked: pb.CheckRegisterRequest, field: str) -> None:
    async with judge() as stub:
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await stub.CheckRegister(asked)

    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in (error.value.details() or "")


async def test_the_criteria_are_listed_for_the_panel_and_each_built_in_judge() -> None:
    async with judge() as stub:
        listed = (await stub.ListCriteria(pb.ListCriteriaRequest())).criteria
    by_judge = {
        name: [c.id for c in listed if c.judge == name] for name in ("panel", "safety", "grounding", "register")
    }

    assert all(ids == ["c1", "c2", "c3", "c4", "c5", "c6"] for ids in by_judge.values())
    assert all(criterion.text_ko and criterion.text_en for criterion in listed)
    assert len({criterion.text_ko for criterion in listed}) == 24
