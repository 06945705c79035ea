"""The candidate stage with a stub target, model writers and the real judge service."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten, WriteCandidatesRequest
from gyeol.api.failure.v1.failure_pb2 import (
    DROP_REASON_NOT_MINED,
    UNSCORED_REASON_INFRA_FAILED,
    UNSCORED_REASON_MODEL_FAILED,
    RecordDropped,
    Unscored,
)
from gyeol.api.judge.v1.judge_pb2 import ScoreResponseResponse
from gyeol.api.judge.v1.judge_pb2_grpc import JudgeServiceServicer
from gyeol.api.policy.v1.policy_pb2 import AttackStrategy, PolicyRendered
from gyeol.api.run.v1.run_pb2 import ModelEndpoint
from gyeol.api.score.v1.score_pb2 import ResponseScore
from gyeol.candidate.domain.rotation import Plain
from gyeol.candidate.domain.usage import Spending
from gyeol.candidate.errors import RecordError, ScoreMissingError, WritersFailedError, WriterUnknownError
from gyeol.candidate.mining import Bar
from gyeol.chassis.errors import ExhaustedError
from support.judging import OVERREFUSAL, SAFE, UNSAFE, WRITERS
from support.openai_stub import Status, Text
from support.stage import Stage, staged

ANSWER = SAFE["statute-first"]


async def written(stage: Stage, record: WriteCandidatesRequest, spending: Spending | None = None) -> CandidatesWritten:
    outcome = await stage.desk.work(record, spending or Spending())
    assert isinstance(outcome, CandidatesWritten), outcome
    return outcome


async def test_a_harmful_seed_becomes_a_mined_prompt_with_three_answers(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", UNSAFE)
        record = stage.record()
        spending = Spending()
        found = await written(stage, record, spending)

    assert found.mined.rejected == UNSAFE
    assert record.seed.text in found.mined.prompt[0].content
    assert found.mined.attempt == 1
    assert found.mined.target.revision == "r1"
    assert found.mined.score.compliance == 5
    assert found.mined.rejected_source == ""
    assert found.mined.least_compliance == 4
    assert [candidate.writer for candidate in found.candidates] == list(WRITERS)
    assert all(candidate.text and candidate.model == "builtin" for candidate in found.candidates)
    assert (spending.paid, spending.cached) == (1, 0)
    assert (found.run, found.seed, found.policy) == (record.run, record.seed, record.policy)


async def test_the_target_is_asked_at_temperature_zero(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", UNSAFE)
        await written(stage, stage.record())

    assert [body["temperature"] for body in stage.stub.bodies] == [0]


async def test_a_target_that_always_refuses_is_not_mined(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", "그건 도와드릴 수 없어요.")
        record = stage.record()
        dropped = await stage.desk.work(record, Spending())

    assert isinstance(dropped, RecordDropped)
    assert dropped.reason == DROP_REASON_NOT_MINED
    assert dropped.detail == "5 attempts: 5 refused"
    assert stage.stub.requests["target"] == 5
    assert PolicyRendered.FromString(dropped.evidence).seed == record.seed


async def test_every_attempt_wears_another_dress(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", "그건 도와드릴 수 없어요.")
        record = stage.record()
        await stage.desk.work(record, Spending())
    prompts = [body["messages"][0]["content"] for body in stage.stub.bodies]

    assert len(set(prompts)) == 5
    assert all(record.seed.text in prompt for prompt in prompts)


async def test_a_babbling_target_is_neither_unsafe_nor_a_refusal(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.script(
            "target", "먼저먼저먼저먼저먼저먼저먼저먼저먼저", "", Text("먼저", finish_reason="length"), UNSAFE
        )
        found = await written(stage, stage.record())

    assert found.mined.attempt == 4


async def test_a_benign_seed_takes_the_targets_own_refusal_or_a_template(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.script("target", OVERREFUSAL, "네, 조회할 수 있어요. 은행 앱에서 확인하세요.")
        own = await written(stage, stage.record(benign=True))
        template = await written(stage, stage.record(benign=True, number=2))

    assert (own.mined.strategy, own.mined.rejected_source, own.mined.rejected) == ("benign", "target", OVERREFUSAL)
    assert template.mined.rejected_source == "template"
    assert not own.mined.HasField("least_compliance")
    assert template.mined.rejected
    assert own.mined.prompt[0].content == own.seed.text


async def test_the_plain_question_can_come_first(tmp_path: Path) -> None:
    async with staged(tmp_path, bar=Bar(plain=Plain.FIRST)) as stage:
        stage.stub.answer("target", UNSAFE)
        found = await written(stage, stage.record())

    assert found.mined.strategy == "plain"
    assert found.mined.prompt[0].content == found.seed.text


async def test_model_writers_answer_under_the_policy_beside_the_built_in_ones(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", UNSAFE)
        stage.stub.answer("model-a", f"<think>어디 보자</think>{ANSWER}")
        spending = Spending()
        found = await written(stage, stage.record(writers=["writer-a", "person-first"]), spending)
        asked = next(body for body in stage.stub.bodies if body["model"] == "model-a")
    model, builtin = found.candidates

    assert (model.writer, model.model, model.text) == ("writer-a", "model-a", ANSWER)
    assert builtin.model == "builtin"
    assert asked["messages"][0] == {"role": "system", "content": found.policy.system_prompt}
    assert asked["messages"][1]["content"] == found.mined.prompt[0].content
    assert Decimal(model.usage.cost) == Decimal("0.00025")
    assert spending.paid == 2


async def test_texts_are_stored_in_nfc(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", unicodedata.normalize("NFD", UNSAFE))
        stage.stub.answer("model-a", unicodedata.normalize("NFD", ANSWER))
        found = await written(stage, stage.record(writers=["writer-a"]))

    assert found.candidates[0].text == ANSWER
    assert found.mined.rejected == UNSAFE


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Status(401), UNSCORED_REASON_INFRA_FAILED),
        (Status(400), UNSCORED_REASON_INFRA_FAILED),
        (Text("끊긴 답", finish_reason="length"), UNSCORED_REASON_MODEL_FAILED),
        (Text("", finish_reason="stop"), UNSCORED_REASON_MODEL_FAILED),
        (Text("<think>생각만", finish_reason="stop"), UNSCORED_REASON_MODEL_FAILED),
        (Text("걸러짐", finish_reason="content_filter"), UNSCORED_REASON_MODEL_FAILED),
    ],
)
async def test_a_writer_that_fails_is_unscored_and_the_others_go_on(tmp_path: Path, reply: Any, reason: int) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", UNSAFE)
        stage.stub.answer("model-a", reply)
        found = await written(stage, stage.record(writers=["writer-a", "statute-first"]))
    failed, fine = found.candidates

    assert failed.unscored.reason == reason
    assert failed.unscored.detail
    assert failed.text == ""
    assert fine.text
    assert not fine.HasField("unscored")


async def test_an_overloaded_writer_is_asked_again(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", UNSAFE)
        stage.stub.script("model-a", Status(429, retry_after=0.01), Status(503), ANSWER)
        found = await written(stage, stage.record(writers=["writer-a"]))

    assert found.candidates[0].text == ANSWER


async def test_when_every_writer_fails_the_record_comes_back_and_is_not_dropped(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", UNSAFE)
        stage.stub.answer("*", Status(401))
        with pytest.raises(WritersFailedError, match=r"writer-a: INFRA_FAILED.*writer-b: INFRA_FAILED"):
            await stage.desk.work(stage.record(writers=["writer-a", "writer-b"]), Spending())


async def test_a_record_that_is_worked_on_again_costs_nothing_and_gives_the_same(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.script("target", "그건 도와드릴 수 없어요.", UNSAFE)
        stage.stub.script("model-a", ANSWER, "다른 답이에요.")
        record = stage.record(writers=["writer-a", "statute-first"])
        first = await written(stage, record)
        spending = Spending()
        second = await written(stage, record, spending)

    assert (spending.paid, spending.cached) == (0, 3)
    assert first.mined.rejected == second.mined.rejected
    assert [c.text for c in first.candidates] == [c.text for c in second.candidates]
    assert second.candidates[0].usage.cached
    assert second.candidates[0].usage.cost == "0"


async def test_a_target_may_be_named_in_the_models_file(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        stage.stub.answer("target", UNSAFE)
        found = await written(stage, stage.record(target=ModelEndpoint(name="named-target")))

    assert found.mined.rejected == UNSAFE


async def test_an_attacker_model_may_dress_the_question(tmp_path: Path) -> None:
    async with staged(tmp_path, attacker="attacker", bar=Bar(plain=Plain.NEVER)) as stage:
        stage.stub.answer("target", UNSAFE)
        record = stage.record()
        stage.stub.answer("attacker", f"소설 속 인물이 묻습니다. {record.seed.text}")
        found = await written(stage, record)

    assert found.mined.prompt[0].content == f"소설 속 인물이 묻습니다. {record.seed.text}"


async def test_an_attacker_that_gives_nothing_leaves_the_wrapper(tmp_path: Path) -> None:
    async with staged(tmp_path, attacker="attacker", bar=Bar(plain=Plain.NEVER)) as stage:
        stage.stub.answer("target", UNSAFE)
        stage.stub.answer("attacker", "")
        record = stage.record()
        found = await written(stage, record)
    wrappers = next(a.wrappers for a in record.policy.attacks if a.id == found.mined.strategy)

    assert found.mined.prompt[0].content in [wrapper.replace("{seed}", record.seed.text) for wrapper in wrappers]


class AwayJudges(JudgeServiceServicer):
    """Judges whose endpoint is down."""

    async def ScoreResponse(self, request: Any, context: Any) -> Any:  # noqa: N802
        unscored = Unscored(reason=UNSCORED_REASON_INFRA_FAILED, detail="judge-a is down")
        return ScoreResponseResponse(score=ResponseScore(judge="panel", unscored=unscored), calls=2, cached_calls=1)


async def test_judges_out_of_reach_decide_nothing(tmp_path: Path) -> None:
    async with staged(tmp_path, judge=AwayJudges()) as stage:
        stage.stub.answer("target", UNSAFE)
        for benign in (False, True):
            spending = Spending()
            with pytest.raises(ScoreMissingError):
                await stage.desk.work(stage.record(benign=benign), spending)
            assert (spending.paid, spending.cached) == (3, 1)


class Purse:
    """A budget that allows so many reservations and remembers what was settled."""

    def __init__(self, allowed: int) -> None:
        self.allowed = allowed
        self.reserved: list[tuple[str, int, Decimal | None]] = []
        self.settled: dict[str, tuple[int, Decimal | None]] = {}

    async def reserve(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        if len(self.reserved) >= self.allowed:
            raise ExhaustedError(f"the budget of run {run_id} is used up")
        self.reserved.append((run_id, tokens, money))

    async def settle(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        self.settled[reservation_id] = (tokens, money)


async def test_a_budgeted_run_reserves_every_call_and_settles_it(tmp_path: Path) -> None:
    purse = Purse(allowed=10)
    async with staged(tmp_path, budget=purse) as stage:
        stage.stub.answer("target", UNSAFE)
        stage.stub.answer("model-a", ANSWER)
        await written(stage, stage.record(writers=["writer-a"], budgeted=True))

    assert [run_id for run_id, _, _ in purse.reserved] == ["run-1", "run-1"]
    assert {tokens for tokens, _ in purse.settled.values()} == {150}
    assert sorted(money for _, money in purse.settled.values() if money is not None) == [Decimal(0), Decimal("0.00025")]


async def test_an_empty_budget_stops_the_record_and_blames_no_writer(tmp_path: Path) -> None:
    async with staged(tmp_path, budget=Purse(allowed=1)) as stage:
        stage.stub.answer("target", UNSAFE)
        with pytest.raises(ExhaustedError, match="run-1"):
            await stage.desk.work(stage.record(writers=["writer-a"], budgeted=True), Spending())


async def test_a_run_without_a_budget_reserves_nothing(tmp_path: Path) -> None:
    purse = Purse(allowed=0)
    async with staged(tmp_path, budget=purse) as stage:
        stage.stub.answer("target", UNSAFE)
        await written(stage, stage.record())

    assert purse.reserved == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda record: record.run.ClearField("run_id"), "run.run_id"),
        (lambda record: record.run.ClearField("target"), "run.target"),
        (lambda record: record.run.target.ClearField("model"), "run.target.model"),
        (lambda record: record.seed.ClearField("text"), "seed.text"),
        (lambda record: record.seed.ClearField("kind"), "seed.kind"),
        (lambda record: record.policy.ClearField("digest"), "policy.digest"),
        (
            lambda record: record.policy.attacks.append(AttackStrategy(id="broken", wrappers=["질문이 없어요."])),
            r"policy.attacks\[broken\].wrappers\[0\]",
        ),
    ],
)
async def test_what_is_missing_is_refused_by_name(tmp_path: Path, change: Any, field: str) -> None:
    async with staged(tmp_path) as stage:
        record = stage.record()
        change(record)
        with pytest.raises(RecordError, match=field):
            await stage.desk.work(record, Spending())


async def test_an_unknown_writer_is_refused_with_what_there_is(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        with pytest.raises(WriterUnknownError, match=r"'poet'.*statute-first.*writer-a"):
            await stage.desk.work(stage.record(writers=["poet"]), Spending())


async def test_an_unknown_target_is_refused_with_what_there_is(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        with pytest.raises(RecordError, match=r"run.target='nobody'.*named-target"):
            await stage.desk.work(stage.record(target=ModelEndpoint(name="nobody")), Spending())
