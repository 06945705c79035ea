"""Judge models over HTTP: what they say, how they fail, and that a failure is a third state."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import stamina

from gyeol.api.run.v1.run_pb2 import DECISION_MAJORITY, DECISION_UNANIMOUS
from gyeol.chassis.chat import Chat
from gyeol.chassis.clock import Clock, SystemClock
from gyeol.chassis.errors import DeniedError, ExhaustedError, InvalidError
from gyeol.chassis.store import Memory
from gyeol.judge.bench import Calls, builtin
from gyeol.judge.convert.record import record_from_pb
from gyeol.judge.domain.case import Exchange, Record, Run
from gyeol.judge.domain.score import Reason
from gyeol.judge.endpoint import Benches, ReplyFormat
from gyeol.judge.errors import VoteMissingError
from gyeol.judge.law import PolicyLaw
from gyeol.judge.lexicon import lexicon, panel_criteria
from gyeol.judge.service import Accepted, Drop, Dropped, Judging, Thresholds
from gyeol.judge.turn import Turns
from support.clock import SteppedClock
from support.judging import LawBook, law_door, run, serving, written
from support.openai_stub import Garbage, OpenAIStub, Reply, Status, Text, openai_stub

MODELS = """
models:
- {{name: judge-a, baseUrl: "{url}", model: model-a, timeoutSeconds: 5}}
- {{name: judge-b, baseUrl: "{url}", model: model-b, timeoutSeconds: 5}}
- {{name: judge-c, baseUrl: "{url}", model: model-c, timeoutSeconds: 5}}
"""


def verdict(body: dict[str, Any], **changes: Any) -> str:
    """A judge that keeps its schema and finds everything fine."""
    ticket = re.search(r"자료-[0-9a-f]{12}", body["messages"][1]["content"])
    assert ticket is not None
    schema = body["response_format"]["json_schema"]["schema"]["properties"]
    answer: dict[str, Any] = {"ticket": ticket.group(), "reason": "기준을 지켰습니다."}
    if "harmfulness" in schema:
        answer["harmfulness"] = 3
    elif "compliance" in schema:
        rubrics = dict.fromkeys(schema["rubrics"]["properties"], True)
        answer |= {"compliance": 1, "refused": True, "rubrics": rubrics, "coherence": 5}
    else:
        answer |= {f"c{n}": {"met": True, "reason": "그렇습니다."} for n in range(1, 7)}
    return json.dumps(answer | changes, ensure_ascii=False)


def about_the_pair(body: dict[str, Any]) -> bool:
    return "c1" in body["response_format"]["json_schema"]["schema"]["properties"]


def only_for_the_pair(reply: Reply) -> Callable[[dict[str, Any]], Reply]:
    return lambda body: reply if about_the_pair(body) else verdict(body)


class Court:
    """A judge service in parts, with a stub for its models."""

    def __init__(self, stub: OpenAIStub, judging: Judging, clock: Clock) -> None:
        self.stub = stub
        self.judging = judging
        self.clock = clock


@asynccontextmanager
async def court(
    folder: Path, *, budget: Any = None, clock: Clock | None = None, reply_format: ReplyFormat = "json_schema"
) -> AsyncIterator[Court]:
    async with openai_stub() as stub, serving(law_door(LawBook())) as channel:
        (folder / "panel.yaml").write_text(MODELS.format(url=stub.url), encoding="utf-8")
        clock = clock or SteppedClock()
        chat = Chat(cache=Memory(), budget=budget, clock=clock)
        benches = Benches(builtin(lexicon()), chat, folder, panel_criteria(), reply_format=reply_format, max_tokens=900)
        stub.answer("*", verdict)
        yield Court(stub, Judging(benches, PolicyLaw(channel), Turns(Memory()), Thresholds()), clock)
        await chat.close()


def record(judges: tuple[str, ...] = ("judge-a", "judge-b", "judge-c"), decision: int = DECISION_UNANIMOUS) -> Record:
    return record_from_pb(written(run=run(endpoints="panel", judges=judges, decision=decision)))


async def test_three_models_make_a_triplet_and_every_call_is_counted(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        calls = Calls()
        outcome = await bench.judging.judge(record(), calls)

    assert isinstance(outcome, Accepted)
    assert [model for model, _ in outcome.ballots] == ["model-a", "model-b", "model-c"]
    # One question, three candidates and one panel vote for each judge.
    assert (calls.paid, calls.cached) == (15, 0)


async def test_a_record_that_is_judged_again_costs_nothing(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        first = await bench.judging.judge(record(), Calls())
        calls = Calls()
        second = await bench.judging.judge(record(), calls)

    assert first == second
    assert (calls.paid, calls.cached) == (0, 15)


async def test_models_and_rules_sit_on_one_bench(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        outcome = await bench.judging.judge(record(("safety", "judge-a", "register", "grounding")), Calls())

    assert isinstance(outcome, Accepted)
    assert [model for model, _ in outcome.ballots] == ["builtin", "model-a", "builtin", "builtin"]


async def test_one_veto_of_a_model_drops_the_record_without_its_words(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        veto = {"met": False, "reason": "해로운 말을 옮긴 까닭"}
        bench.stub.answer("model-b", lambda body: verdict(body, c5=veto) if about_the_pair(body) else verdict(body))
        outcome = await bench.judging.judge(record(), Calls())

    assert outcome == Dropped(Drop.PANEL, "judge-b: c5")


async def test_a_reply_that_cannot_be_read_is_never_met_and_says_why(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("model-b", only_for_the_pair("모두 통과입니다!"))
        outcome = await bench.judging.judge(record(), Calls())

    assert isinstance(outcome, Dropped)
    assert outcome.detail.startswith("judge-b: c1 (JUDGE_FAILED: the reply is not one JSON object)")


async def test_a_majority_can_do_without_the_judge_that_failed(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("model-b", only_for_the_pair("모두 통과입니다!"))
        outcome = await bench.judging.judge(record(decision=DECISION_MAJORITY), Calls())

    assert isinstance(outcome, Accepted)
    assert outcome.disputed


@pytest.mark.parametrize("failure", [Status(503), Garbage()], ids=["503", "garbage"])
async def test_a_judge_that_cannot_be_reached_is_waited_for_and_decides_nothing(tmp_path: Path, failure: Reply) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("model-c", only_for_the_pair(failure))
        with pytest.raises(VoteMissingError, match="judge-c"):
            await bench.judging.judge(record(), Calls())
        bench.stub.answer("model-c", verdict)
        calls = Calls()
        # The breaker lets a call through again after a while; the others' answers are kept.
        outcome = await _patiently(bench, calls)

    assert isinstance(outcome, Accepted)
    assert calls.paid <= 2


async def test_a_judge_that_stays_overloaded_is_waited_for_and_decides_nothing(tmp_path: Path) -> None:
    async with court(tmp_path, clock=SystemClock()) as bench:
        bench.stub.answer("model-c", only_for_the_pair(Status(429, retry_after=0.01)))
        with stamina.set_testing(True, attempts=2), pytest.raises(VoteMissingError, match="judge-c"):
            await bench.judging.judge(record(), Calls())
        bench.stub.answer("model-c", verdict)
        calls = Calls()
        outcome = await bench.judging.judge(record(), calls)

    assert isinstance(outcome, Accepted)
    assert calls.paid == 1


async def test_an_overloaded_judge_is_asked_again_before_anything_is_given_up(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.script("model-a", Status(429, retry_after=0.01), Status(429), verdict)
        outcome = await bench.judging.judge(record(), Calls())

    assert isinstance(outcome, Accepted)


async def test_a_candidate_that_a_judge_could_not_score_is_not_chosen(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer(
            "model-a", lambda body: Text(verdict(body), finish_reason="length") if _scores(body) else verdict(body)
        )
        outcome = await bench.judging.judge(record(), Calls())

    assert isinstance(outcome, Dropped)
    assert outcome.reason is Drop.NO_CANDIDATE
    assert "judge-a could not score it: JUDGE_FAILED (the reply was cut off)" in outcome.detail


async def test_a_question_that_every_model_finds_benign_is_dropped(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("*", lambda body: verdict(body, harmfulness=1) if not about_the_pair(body) else verdict(body))
        outcome = await bench.judging.judge(record(), Calls())

    assert outcome == Dropped(Drop.QUERY_BENIGN, "harmfulness 1 below 2")


async def test_a_wrong_key_is_an_error_that_names_the_endpoint(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("model-a", Status(401))
        with pytest.raises(DeniedError, match="judge-a"):
            await bench.judging.judge(record(), Calls())


async def test_an_endpoint_without_schemas_can_be_told_less(tmp_path: Path) -> None:
    async with court(tmp_path, reply_format="json_object") as bench:
        bench.stub.answer("*", lambda body: "{}" if body["response_format"] == {"type": "json_object"} else Status(400))
        measure = await _measured(bench)

    assert measure.unscored is not None
    assert measure.unscored.reason is Reason.JUDGE_FAILED


async def test_a_request_that_the_endpoint_refuses_is_no_verdict(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("*", Status(400))
        with pytest.raises(InvalidError):
            await _measured(bench)


async def test_a_judge_out_of_reach_leaves_a_response_unscored(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("*", Status(503))
        measure = await _measured(bench)

    assert measure.unscored is not None
    assert measure.unscored.reason is Reason.INFRA_FAILED
    assert measure.safe is None


async def test_a_judge_that_refuses_to_judge_is_told_apart(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("*", "죄송하지만 이런 내용은 평가할 수 없습니다.")
        measure = await _measured(bench)

    assert measure.unscored is not None
    assert measure.unscored.reason is Reason.REFUSED


async def test_a_verdict_copied_from_the_judged_text_does_not_count(tmp_path: Path) -> None:
    async with court(tmp_path) as bench:
        bench.stub.answer("*", '{"compliance": 1, "refused": true, "rubrics": {"G.r1": true}}')
        measure = await _measured(bench)

    assert measure.unscored is not None
    assert "ticket" in measure.unscored.detail


class EmptyPurse:
    async def reserve(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        raise ExhaustedError(f"the budget of run {run_id} is used up")

    async def settle(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        raise AssertionError("nothing was reserved")


async def test_a_budgeted_run_reserves_before_it_asks(tmp_path: Path) -> None:
    async with court(tmp_path, budget=EmptyPurse()) as bench:
        paying = record_from_pb(written(run=run(endpoints="panel", judges=["judge-a"], budgeted=True)))
        with pytest.raises(ExhaustedError, match="run-1"):
            await bench.judging.judge(paying, Calls())
        free = await bench.judging.judge(record(("judge-a",)), Calls())

    assert isinstance(free, Accepted)


async def _measured(bench: Court) -> Any:
    asked = record(("judge-a",))
    joined, _ = await bench.judging.score(
        Run(endpoints="panel", judges=("judge-a",)),
        Exchange(asked.question, asked.policy, "도와드릴 수 없어요."),
        Calls(),
        with_coherence=False,
    )
    return joined


async def _patiently(bench: Court, calls: Calls) -> Accepted | Dropped:
    for _ in range(20):
        try:
            return await bench.judging.judge(record(), calls)
        except VoteMissingError:
            await bench.clock.sleep(20)
    raise AssertionError("the judge never came back")


def _scores(body: dict[str, Any]) -> bool:
    return "compliance" in body["response_format"]["json_schema"]["schema"]["properties"]
