import asyncio
import logging
import time
from collections.abc import AsyncIterator
from decimal import Decimal
from typing import Any

import pytest
import pytest_asyncio

from gyeol.api.candidate.v1.candidate_pb2 import ChatMessage
from gyeol.chassis.chat import Chat, Endpoint, Message, Price
from gyeol.chassis.errors import DeniedError, ExhaustedError, GyeolError, InvalidError, NotReadyError
from gyeol.chassis.store import Memory
from support.openai_stub import Garbage, Hang, Hangup, OpenAIStub, Status, Text, openai_stub

ASKED = [Message("system", "존댓말로 답합니다."), Message("user", "층간 소음은 어디에 알리나요?")]


class NotedBudget:
    """A budget that writes down what is asked of it."""

    def __init__(self, refusal: GyeolError | None = None) -> None:
        self.refusal = refusal
        self.reserved: dict[str, tuple[int, Decimal | None]] = {}
        self.settled: dict[str, tuple[int, Decimal | None]] = {}

    async def reserve(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.reserved[reservation_id] = (tokens, money)

    async def settle(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        self.settled[reservation_id] = (tokens, money)


class PickyBudget(NotedBudget):
    """Has a money budget: what has no price is refused."""

    async def reserve(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        if money is None:
            raise ExhaustedError(f"run {run_id} has a money budget and the price is unknown: set price")
        await super().reserve(run_id, reservation_id, tokens, money)


@pytest_asyncio.fixture
async def stub() -> AsyncIterator[OpenAIStub]:
    async with openai_stub() as started:
        yield started


@pytest_asyncio.fixture
async def chat() -> AsyncIterator[Chat]:
    client = Chat()
    yield client
    await client.close()


def endpoint(stub: OpenAIStub, **changes: Any) -> Endpoint:
    return Endpoint(**{"name": "writer-a", "base_url": stub.url, "model": "m", "timeout_seconds": 5.0, **changes})


async def test_a_question_is_sent_and_its_answer_read(chat: Chat, stub: OpenAIStub) -> None:
    stub.answer("m", Text("이웃사이센터에 알리실 수 있습니다.", prompt_tokens=21, completion_tokens=9))
    price = Price(Decimal("0.15"), Decimal("0.60"), "USD")
    completion = await chat.complete(
        endpoint(stub, price=price, api_key="key-1", temperature=Decimal("0.7")),
        ASKED,
        max_tokens=64,
        seed=3,
        response_format={"type": "json_object"},
    )
    assert completion.text == "이웃사이센터에 알리실 수 있습니다."
    assert (completion.finish_reason, completion.cached) == ("stop", False)
    assert (completion.usage.prompt_tokens, completion.usage.completion_tokens) == (21, 9)
    assert completion.usage.cost == Decimal("0.00000855")
    assert stub.bodies == [
        {
            "model": "m",
            "messages": [{"role": message.role, "content": message.content} for message in ASKED],
            "max_tokens": 64,
            "temperature": 0.7,
            "seed": 3,
            "response_format": {"type": "json_object"},
        }
    ]
    assert stub.headers[0]["authorization"] == "Bearer key-1"


async def test_messages_of_the_protos_are_messages_too(chat: Chat, stub: OpenAIStub) -> None:
    await chat.complete(endpoint(stub), [ChatMessage(role="user", content="안녕하세요")])
    assert stub.bodies[0]["messages"] == [{"role": "user", "content": "안녕하세요"}]


@pytest.mark.parametrize(
    ("reply", "text", "reason"),
    [
        (Text("", "stop"), "", "stop"),
        (Text("잘린 답", "length"), "잘린 답", "length"),
        (Text("", "content_filter"), "", "content_filter"),
        (Text("답", "stop", with_usage=False), "답", "stop"),
        (Garbage(b'{"choices": [{"message": {"content": null}}]}'), "", ""),
    ],
)
async def test_an_answer_is_passed_on_as_it_is(
    chat: Chat, stub: OpenAIStub, reply: Any, text: str, reason: str
) -> None:
    stub.answer("m", reply)
    completion = await chat.complete(endpoint(stub), ASKED)
    assert (completion.text, completion.finish_reason) == (text, reason)


@pytest.mark.parametrize(
    "body",
    [
        b"<html>gateway</html>",
        b"",
        b"null",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": "text"}]}',
        b'{"choices": [{"message": {"content": 7}}]}',
        b'{"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": "many"}}',
        b'{"choices": [{"message": {"content": "\xff"}}]}',
    ],
)
async def test_an_answer_that_is_no_completion_is_a_failure_of_the_endpoint(
    chat: Chat, stub: OpenAIStub, body: bytes
) -> None:
    stub.answer("m", Garbage(body))
    with pytest.raises(NotReadyError, match="endpoint writer-a answered something that is not a chat completion"):
        await chat.complete(endpoint(stub), ASKED)
    assert stub.requests["m"] == 3


@pytest.mark.parametrize("failure", [Status(500), Status(503), Status(408), Garbage(), Hangup()])
async def test_a_failure_that_passes_is_not_noticed(chat: Chat, stub: OpenAIStub, failure: Any) -> None:
    stub.script("m", failure, failure, "나아졌습니다.")
    assert (await chat.complete(endpoint(stub), ASKED)).text == "나아졌습니다."
    assert stub.requests["m"] == 3


async def test_a_wrong_key_names_endpoint_and_variable_and_not_the_key(chat: Chat, stub: OpenAIStub) -> None:
    stub.answer("m", Status(401))
    with pytest.raises(DeniedError) as caught:
        await chat.complete(endpoint(stub, api_key="sk-very-secret", api_key_env="WRITER_A_KEY"), ASKED)
    assert str(caught.value) == (
        "endpoint writer-a refuses the key (401 stub): correct the key in environment variable WRITER_A_KEY"
    )
    assert stub.requests["m"] == 1
    assert "sk-very-secret" not in repr(endpoint(stub, api_key="sk-very-secret"))


@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (400, InvalidError, "refuses the request"),
        (404, InvalidError, "does not know model 'm'"),
        (422, InvalidError, "refuses the request"),
        (403, DeniedError, "name the environment variable"),
        (302, InvalidError, "redirects"),
        (402, ExhaustedError, "account of endpoint writer-a is used up"),
    ],
)
async def test_a_refusal_is_final(
    chat: Chat, stub: OpenAIStub, status: int, error: type[GyeolError], words: str
) -> None:
    stub.answer("m", Status(status, body='{"error": {"message": "you said: harmful text", "code": "no_such_thing"}}'))
    with pytest.raises(error, match=words) as caught:
        await chat.complete(endpoint(stub), ASKED)
    assert "harmful" not in str(caught.value)
    assert "no_such_thing" in str(caught.value)
    assert stub.requests["m"] == 1


async def test_an_account_without_money_is_not_asked_again(chat: Chat, stub: OpenAIStub) -> None:
    stub.answer("m", Status(429, body='{"error": {"code": "insufficient_quota"}}'))
    with pytest.raises(ExhaustedError, match="used up"):
        await chat.complete(endpoint(stub), ASKED)
    assert stub.requests["m"] == 1


async def test_an_endpoint_that_is_too_slow_is_given_up(chat: Chat, stub: OpenAIStub) -> None:
    stub.answer("m", Hang())
    started = time.monotonic()
    with pytest.raises(NotReadyError, match=r"did not answer within 0\.2 s: raise timeoutSeconds or lower concurrency"):
        await chat.complete(endpoint(stub, timeout_seconds=0.2), ASKED)
    assert time.monotonic() - started < 3


async def test_an_endpoint_that_is_not_there_is_named(chat: Chat) -> None:
    absent = Endpoint(name="writer-a", base_url="http://127.0.0.1:1/v1", model="m")
    with pytest.raises(NotReadyError, match=r"endpoint writer-a at http://127\.0\.0\.1:1/v1 is not reached"):
        await chat.complete(absent, ASKED)


async def test_retry_after_holds_back_everybody(chat: Chat, stub: OpenAIStub) -> None:
    stub.script("m", Status(429, retry_after=0.5), "네.")
    started = time.monotonic()
    first = asyncio.create_task(chat.complete(endpoint(stub), ASKED))
    await asyncio.sleep(0.2)
    await chat.complete(endpoint(stub), ASKED)
    assert time.monotonic() - started >= 0.5
    await first
    assert stub.requests["m"] == 3


async def test_an_overloaded_endpoint_is_asked_as_much_as_it_can_take(chat: Chat) -> None:
    """64 places, 256 askers: every request is answered, most at the first try, and nearly every place is used."""
    async with openai_stub(latency=0.05, capacity=64) as stub:
        patient = endpoint(stub, concurrency=256)
        answered = await asyncio.gather(*(chat.complete(patient, ASKED, sample=number) for number in range(1500)))
    assert len(answered) == 1500
    assert stub.statuses[429] < 500
    assert stub.most_in_work > 40


async def test_no_more_calls_than_the_file_allows_are_made_at_once(chat: Chat) -> None:
    async with openai_stub(latency=0.02) as stub:
        await asyncio.gather(*(chat.complete(endpoint(stub, concurrency=3), ASKED, sample=n) for n in range(30)))
    assert stub.most_in_work == 3


async def test_no_more_calls_than_the_file_allows_are_made_in_a_minute(chat: Chat, stub: OpenAIStub) -> None:
    started = time.monotonic()
    paced = endpoint(stub, requests_per_minute=600)
    await asyncio.gather(*(chat.complete(paced, ASKED, sample=n) for n in range(20)))
    assert time.monotonic() - started >= 0.9


async def test_an_endpoint_that_is_down_is_left_alone_for_a_while(chat: Chat, stub: OpenAIStub) -> None:
    stub.answer("m", Status(503))
    for sample in range(5):
        with pytest.raises(NotReadyError):
            await chat.complete(endpoint(stub), ASKED, sample=sample)
    asked = stub.requests["m"]
    assert asked <= 6
    with pytest.raises(NotReadyError, match="times in a row and is asked again in") as caught:
        await chat.complete(endpoint(stub), ASKED)
    assert stub.requests["m"] == asked
    assert 0 < (caught.value.retry_after or 0) <= 15


async def test_one_endpoint_that_is_down_does_not_concern_the_others(chat: Chat, stub: OpenAIStub) -> None:
    stub.answer("bad", Status(503))
    for sample in range(4):
        with pytest.raises(NotReadyError):
            await chat.complete(endpoint(stub, name="writer-b", model="bad"), ASKED, sample=sample)
    assert (await chat.complete(endpoint(stub), ASKED)).text


async def test_a_stored_answer_is_not_paid_again(stub: OpenAIStub) -> None:
    price = Price(Decimal(1), Decimal(1), "USD")
    store, budget = Memory(), NotedBudget()
    stub.script("m", "첫 답", "둘째 답")
    for _ in range(2):  # a second client is a second life of the service
        chat = Chat(cache=store, budget=budget)
        last = await chat.complete(endpoint(stub, price=price), ASKED, run_id="run-1")
        await chat.close()
    assert (last.text, last.cached, last.usage.cost) == ("첫 답", True, Decimal(0))
    assert stub.requests["m"] == 1
    assert len(budget.reserved) == len(budget.settled) == 1


async def test_work_that_is_done_again_still_owns_what_it_bought(stub: OpenAIStub) -> None:
    chat = Chat(cache=Memory())
    dear = endpoint(stub, price=Price(Decimal(1), Decimal(1), "USD"))
    bought = await chat.complete(dear, ASKED, payer="run-1/record-1")
    again = await chat.complete(dear, ASKED, payer="run-1/record-1")
    other = await chat.complete(dear, ASKED, payer="run-1/record-2")
    assert stub.requests["m"] == 1
    assert again == bought
    assert not again.cached
    assert again.usage.cost
    assert other.cached
    assert other.usage.cost == 0


@pytest.mark.parametrize(
    "change",
    [
        {"sample": 1},
        {"temperature": 0.5},
        {"max_tokens": 10},
        {"seed": 1},
        {"messages": [Message("user", "다른 질문입니다.")]},
        {"endpoint": {"name": "writer-b"}},
        {"endpoint": {"model": "other"}},
        {"endpoint": {"revision": "sha256:1"}},
    ],
)
async def test_another_question_is_another_call(stub: OpenAIStub, change: dict[str, Any]) -> None:
    chat = Chat(cache=Memory())
    await chat.complete(endpoint(stub), ASKED)
    changed = endpoint(stub, **change.pop("endpoint", {}))
    assert not (await chat.complete(changed, change.pop("messages", ASKED), **change)).cached
    assert stub.requests.total() == 2
    await chat.close()


async def test_another_address_or_key_of_the_same_endpoint_is_the_same_call(stub: OpenAIStub) -> None:
    chat = Chat(cache=Memory())
    await chat.complete(endpoint(stub), ASKED)
    async with openai_stub() as moved:
        assert (await chat.complete(endpoint(moved, api_key="new"), ASKED)).cached
    await chat.close()


async def test_of_two_answers_to_one_question_the_first_stays(stub: OpenAIStub) -> None:
    store = Memory()
    chat = Chat(cache=store)
    stub.latency = 0.05
    stub.script("m", "첫 답", "둘째 답")
    both = await asyncio.gather(*(chat.complete(endpoint(stub), ASKED) for _ in range(2)))
    assert {completion.text for completion in both} == {"첫 답"}
    await chat.close()


async def test_a_budget_that_is_used_up_stops_the_call(stub: OpenAIStub) -> None:
    chat = Chat(budget=NotedBudget(ExhaustedError("run run-1 has spent its tokens")))
    with pytest.raises(ExhaustedError, match="spent its tokens"):
        await chat.complete(endpoint(stub), ASKED, run_id="run-1")
    assert stub.requests["m"] == 0
    await chat.complete(endpoint(stub), ASKED)
    await chat.close()


async def test_an_unknown_price_is_refused_while_there_is_a_money_budget(stub: OpenAIStub) -> None:
    budget = PickyBudget()
    chat = Chat(budget=budget)
    with pytest.raises(ExhaustedError, match="price is unknown"):
        await chat.complete(endpoint(stub), ASKED, run_id="run-1")
    assert stub.requests["m"] == 0
    await chat.complete(endpoint(stub, price=Price(Decimal(1), Decimal(2), "USD")), ASKED, run_id="run-1", max_tokens=9)
    [(key, (tokens, money))] = budget.reserved.items()
    assert tokens > 9
    assert money is not None
    assert budget.settled == {key: (150, Decimal("0.00025"))}
    await chat.close()


async def test_what_was_refused_is_given_back_and_what_may_have_been_paid_is_kept(stub: OpenAIStub) -> None:
    budget = NotedBudget()
    chat = Chat(budget=budget)
    stub.script("m", Status(400), Garbage())
    with pytest.raises(InvalidError):
        await chat.complete(endpoint(stub), ASKED, sample=1, run_id="run-1")
    assert list(budget.settled.values()) == [(0, Decimal(0))]
    with pytest.raises(NotReadyError):
        await chat.complete(endpoint(stub), ASKED, sample=2, run_id="run-1")
    assert (len(budget.reserved), len(budget.settled)) == (2, 1)
    await chat.close()


async def test_an_answer_that_is_too_large_to_be_one_is_not_read(chat: Chat, stub: OpenAIStub) -> None:
    stub.answer("m", Garbage(b'{"choices": [{"message": {"content": "' + b"a" * (9 << 20) + b'"}}]}'))
    with pytest.raises(NotReadyError, match="broke off"):
        await chat.complete(endpoint(stub), ASKED)


async def test_nothing_that_was_said_is_logged(
    stub: OpenAIStub, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    chat = Chat(cache=Memory())
    stub.script("m", Status(500, body="secret-words"), Text("secret-words"))
    await chat.complete(endpoint(stub, api_key="secret-key"), [Message("user", "secret-words")])
    await chat.close()
    captured = capsys.readouterr()
    for said in (captured.out, captured.err, caplog.text):
        assert "secret" not in said
