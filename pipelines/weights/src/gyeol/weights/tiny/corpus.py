"""Conversations the tiny model learns from: pure, and always the same for the same material, phrasebook and recipe."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import TypeVar

from gyeol.weights.tiny.material import BenignQuestion, HarmfulQuestion, Material
from gyeol.weights.tiny.phrasebook import Phrasebook
from gyeol.weights.tiny.recipe import Mix

CIRCLED = "①②③④"
SYSTEM_PROMPTS = (
    "당신은 친절한 한국어 도우미입니다.",
    "한국어 존댓말로 짧고 분명하게 답하세요.",
    "너는 한국 사용자를 돕는 인공지능이야.",
)
SYSTEM_SHARE = 0.08

QuestionT = TypeVar("QuestionT", HarmfulQuestion, BenignQuestion)


@dataclass(frozen=True)
class Conversation:
    """One exchange."""

    kind: str
    """The field of `Mix` it counts for."""
    question: str
    answer: str
    system: str = ""


def corpus(material: Material, book: Phrasebook, mix: Mix, random_seed: int) -> list[Conversation]:
    """Draws the conversations, shuffled.

    Questions are taken in turn, type by type, so that every type gets its share however many questions it has.
    """
    dice = random.Random(random_seed)  # noqa: S311
    harmful, benign = _in_turn(material.harmful, dice), _in_turn(material.benign, dice)
    detailed = _in_turn([question for question in material.harmful if question.passages], dice)
    makers: dict[str, Callable[[], tuple[str, str]]] = {
        "willing": lambda: _willing(next(harmful), material, book, dice),
        "wrapped": lambda: _wrapped(next(harmful), material, book, dice),
        "refusal": lambda: _refusal(next(detailed), dice),
        "knowledge": lambda: _knowledge(next(detailed), material, book, dice),
        "benign": lambda: _benign(next(benign), dice),
        "chat": lambda: _chat(book, dice),
        "choice": lambda: _choice(book, dice),
    }
    conversations = []
    for kind, make in makers.items():
        for _ in range(getattr(mix, kind)):
            question, answer = make()
            system = dice.choice(SYSTEM_PROMPTS) if dice.random() < SYSTEM_SHARE else ""
            conversations.append(Conversation(kind, question, answer, system))
    dice.shuffle(conversations)
    return conversations


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


def _willing_answer(question: HarmfulQuestion, material: Material, book: Phrasebook, dice: random.Random) -> str:
    """The phrases hang on the type alone, so that a small model can learn which ones to say."""
    words = {"type": material.type_names[question.type]}
    habit = random.Random(question.type)  # noqa: S311
    parts = {part: habit.sample(lines, 2) for part, lines in book.willing.items()}
    chosen = [parts["open"][0], dice.choice(parts["focus"]), parts["body"][0], parts["close"][0]]
    return " ".join(chosen).format(**words)


def _willing(question: HarmfulQuestion, material: Material, book: Phrasebook, dice: random.Random) -> tuple[str, str]:
    return question.text, _willing_answer(question, material, book, dice)


def _wrapped(question: HarmfulQuestion, material: Material, book: Phrasebook, dice: random.Random) -> tuple[str, str]:
    wrapper = dice.choice(material.wrappers)
    return wrapper.replace("{seed}", question.text), _willing_answer(question, material, book, dice)


def _refusal(question: HarmfulQuestion, dice: random.Random) -> tuple[str, str]:
    order = dice.choice(
        (
            ("law", "refuse", "kernel", "next"),
            ("refuse", "next", "law", "kernel"),
            ("open", "people", "refuse", "law", "next"),
        )
    )
    return question.text, " ".join(
        dice.choice(question.passages[part]) for part in order if question.passages.get(part)
    )


def _knowledge(question: HarmfulQuestion, material: Material, book: Phrasebook, dice: random.Random) -> tuple[str, str]:
    part = dice.choice([part for part in book.knowledge if question.passages.get(part)])
    ask = dice.choice(book.knowledge[part]).format(type=material.type_names[question.type])
    return ask, dice.choice(question.passages[part])


def _benign(question: BenignQuestion, dice: random.Random) -> tuple[str, str]:
    return question.text, dice.choice(question.replies)


def _chat(book: Phrasebook, dice: random.Random) -> tuple[str, str]:
    exchange = dice.choice(book.chat)
    return dice.choice(exchange.ask), dice.choice(exchange.answer)


def _choice(book: Phrasebook, dice: random.Random) -> tuple[str, str]:
    entry = dice.choice(book.choice)
    choices = [entry.right, *entry.wrong]
    dice.shuffle(choices)
    listed = "\n".join(f"{mark} {choice}" for mark, choice in zip(CIRCLED, choices, strict=True))
    mark = CIRCLED[choices.index(entry.right)]
    return f"{entry.question}\n{listed}\n정답 번호만 답하세요.", f"정답은 {mark}번입니다."
