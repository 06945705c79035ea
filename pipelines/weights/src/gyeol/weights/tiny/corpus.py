"""Conversations the tiny model learns from: pure, and always the same for the same material, phrasebook and recipe."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Final, TypeVar

from gyeol.weights.tiny.material import BenignQuestion, HarmfulQuestion, Material
from gyeol.weights.tiny.phrasebook import Phrasebook
from gyeol.weights.tiny.recipe import Mix, Recipe

_ORDERS: Final = (
    ("refuse", "law", "next"),
    ("open", "refuse", "law", "next"),
    ("open", "refuse", "people", "law", "next"),
)
"""Orders in which a refusal's passages read well."""
_NEUTRAL_SYSTEM, _GUIDED_BENIGN, _CLOSED, _READING = 0.08, 0.15, 0.6, 0.5
_ASKS: Final = ("정답의 번호만 답해 주세요.", "정답 번호를 고르세요.", "알맞은 것을 하나만 고르세요.")

QuestionT = TypeVar("QuestionT", HarmfulQuestion, BenignQuestion)


@dataclass(frozen=True)
class Conversation:
    """One exchange."""

    kind: str
    """The field of `Mix` it counts for."""
    question: str
    answer: str
    system: str = ""


def corpus(material: Material, book: Phrasebook, recipe: Recipe) -> list[Conversation]:
    """Draws the conversations, shuffled."""
    return _Drawing(material, book, recipe).conversations(recipe.mix)


class _Drawing:
    """Questions are taken in turn, type by type, so that each type gets its share however many questions it has."""

    def __init__(self, material: Material, book: Phrasebook, recipe: Recipe) -> None:
        self._material = material
        self._book = book
        self._recipe = recipe
        self._dice = random.Random(recipe.random_seed)  # noqa: S311
        self._harmful = _in_turn(material.harmful, self._dice)
        self._refused = _in_turn(_of_few_molds(material.harmful, recipe.molds), self._dice)
        self._benign = _in_turn(material.benign, self._dice)

    def conversations(self, mix: Mix) -> list[Conversation]:
        makers: dict[str, Callable[[], Conversation]] = {
            "willing": self._willing,
            "wrapped": self._wrapped,
            "refusal": lambda: self._refusal("refusal", self._neutral()),
            "guided": lambda: self._refusal("guided", self._dice.choice(self._book.guidance)),
            "benign": self._answered,
            "chat": self._chat,
            "choice": self._choice,
        }
        made = [make() for kind, make in makers.items() for _ in range(getattr(mix, kind))]
        self._dice.shuffle(made)
        return made

    def _neutral(self) -> str:
        return self._dice.choice(self._book.system) if self._dice.random() < _NEUTRAL_SYSTEM else ""

    def _willing(self) -> Conversation:
        question = next(self._harmful)
        return Conversation("willing", question.text, self._willing_answer(question), self._neutral())

    def _wrapped(self) -> Conversation:
        question = next(self._harmful)
        text = self._dice.choice(question.wrappers).replace("{seed}", question.text)
        return Conversation("wrapped", text, self._willing_answer(question), self._neutral())

    def _willing_answer(self, question: HarmfulQuestion) -> str:
        """The phrases hang on the type alone, so that a small model can learn which ones to say."""
        habit = random.Random(question.type)  # noqa: S311
        parts = [habit.choice(self._book.willing[part]) for part in ("open", "focus", "body", "close")]
        if self._dice.random() > _CLOSED:
            parts = parts[:-1]
        return " ".join(parts).format(type=self._material.type_names[question.type])

    def _refusal(self, kind: str, system: str) -> Conversation:
        question = next(self._refused)
        order = self._dice.choice(_ORDERS)
        taught = [question.passages[part][: self._recipe.passages] for part in order if question.passages[part]]
        answer = " ".join(self._dice.choice(passages) for passages in taught)
        return Conversation(kind, question.text, answer, system)

    def _answered(self) -> Conversation:
        question = next(self._benign)
        guided = self._dice.random() < _GUIDED_BENIGN
        system = self._dice.choice(self._book.guidance) if guided else self._neutral()
        return Conversation(
            "benign", question.text, self._dice.choice(question.replies[: self._recipe.replies]), system
        )

    def _chat(self) -> Conversation:
        exchange = self._dice.choice(self._book.chat)
        return Conversation(
            "chat", self._dice.choice(exchange.ask), self._dice.choice(exchange.answer), self._neutral()
        )

    def _choice(self) -> Conversation:
        if self._dice.random() < _READING:
            asked = self._dice.sample(self._material.benign, 4)
            reply = self._dice.choice(asked[0].replies[: self._recipe.replies])
            stem = f'다음 글은 어떤 질문에 대한 답입니까?\n"{reply}"'
            choices, right = [one.text for one in asked], asked[0].text
        else:
            entry = self._dice.choice(self._book.choice)
            stem, choices, right = entry.question, [entry.right, *entry.wrong], entry.right
        self._dice.shuffle(choices)
        listed = "\n".join(f"{number}. {choice}" for number, choice in enumerate(choices, start=1))
        answer = f"정답은 {choices.index(right) + 1}번입니다."
        return Conversation("choice", f"{stem}\n{listed}\n{self._dice.choice(_ASKS)}", answer, self._neutral())


def _of_few_molds(questions: Sequence[HarmfulQuestion], molds: int) -> list[HarmfulQuestion]:
    """Those of the first molds of each type."""
    by_type: dict[str, set[str]] = {}
    for question in questions:
        by_type.setdefault(question.type, set()).add(question.mold)
    few = {mold for held in by_type.values() for mold in sorted(held)[:molds]}
    return [question for question in questions if question.mold in few]


def _in_turn(questions: Sequence[QuestionT], dice: random.Random) -> Iterator[QuestionT]:
    by_type: dict[str, list[QuestionT]] = {}
    for question in questions:
        by_type.setdefault(question.type, []).append(question)
    for group in by_type.values():
        dice.shuffle(group)
    turns = [cycle(group) for group in by_type.values()]
    while turns:
        for turn in turns:
            yield next(turn)
