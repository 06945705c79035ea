"""Items from the culture pack's multiple-choice questions."""

from __future__ import annotations

import grpc

from gyeol.api.policy.v1.pack_pb2 import ListQuestionsRequest, Question
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.chassis.chat import Message
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import QuestionSource


async def question_items(source: QuestionSource, culture: str, policies: grpc.aio.Channel) -> list[Item]:
    """The pack's first `source.items` questions, in the order of their ids."""
    answer = await PackServiceStub(policies).ListQuestions(ListQuestionsRequest(culture=culture))
    ordered = sorted(answer.questions, key=lambda question: question.id)
    return [_item(question) for question in ordered[: source.items]]


def _item(question: Question) -> Item:
    choices = "\n".join(f"{number}. {text}" for number, text in enumerate(question.choices, start=1))
    text = f"{question.question}\n{choices}\n정답의 번호만 답해 주세요."
    return Item(
        id=question.id,
        messages=(Message("user", text),),
        stratum=question.category,
        cluster=question.id,
        expected={"answer": question.answer, "choices": list(question.choices)},
    )
