"""Items from the culture pack's multiple-choice questions."""

from __future__ import annotations

import grpc

from gyeol.api.policy.v1.pack_pb2 import ListQuestionsRequest, Question
from gyeol.api.policy.v1.pack_pb2_grpc import PackServiceStub
from gyeol.chassis.chat import Message
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import QuestionSource


async def question_items(source: QuestionSource, culture: str, policies: grpc.aio.Channel) -> list[Item]:
    """The pack's first `source.items` questions, in the order of their ids, each in as many orders of its choices as asked for."""
    answer = await PackServiceStub(policies).ListQuestions(ListQuestionsRequest(culture=culture))
    ordered = sorted(answer.questions, key=lambda question: question.id)
    return [
        _item(question, turn)
        for question in ordered[: source.items]
        for turn in range(min(source.rotations, len(question.choices)))
    ]


def _item(question: Question, turn: int) -> Item:
    choices = [*question.choices[turn:], *question.choices[:turn]]
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(choices, start=1))
    text = f"{question.question}\n{listed}\n정답의 번호만 답해 주세요."
    return Item(
        id=f"{question.id}-{turn + 1}",
        messages=(Message("user", text),),
        stratum=question.category,
        cluster=question.id,
        expected={"answer": (question.answer - turn) % len(choices), "choices": choices},
    )
