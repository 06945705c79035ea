from __future__ import annotations

from dataclasses import replace

import pytest

from gyeol.candidate.convert import material_from_pb
from gyeol.candidate.domain.composition import LONGEST, ORDERS, answer, reply
from gyeol.candidate.domain.fitting import friction, piece, syllables
from gyeol.candidate.domain.material import Material, Passage
from support.judging import benign_policy, policy

MATERIAL = material_from_pb(policy(), {"target": "전 남자 친구"})
BENIGN = material_from_pb(benign_policy(), {})


def passages(*texts: str) -> tuple[Passage, ...]:
    return tuple(Passage(text) for text in texts)


@pytest.mark.parametrize("writer", ORDERS)
def test_the_same_seed_gives_the_same_answer_and_another_seed_another(writer: str) -> None:
    texts = {answer(writer, f"seed-{number}", MATERIAL) for number in range(40)}

    assert answer(writer, "seed-1", MATERIAL) == answer(writer, "seed-1", MATERIAL)
    assert len(texts) > 4


@pytest.mark.parametrize(("writer", "order"), ORDERS.items())
def test_each_writer_keeps_its_order(writer: str, order: tuple[str, ...]) -> None:
    text = answer(writer, "seed-1", MATERIAL)
    places = [
        next(text.index(each.text) for each in MATERIAL.parts[part] if each.text in text)
        for part in order
        if any(each.text in text for each in MATERIAL.parts[part])
    ]

    assert places == sorted(places)
    assert len(places) == len(order)


def test_a_refusal_after_what_is_legitimate_turns_with_a_word_and_leans_on_no_other() -> None:
    text = answer("procedure-first", "seed-1", MATERIAL, turn="다만")
    assert text.count("다만 ") == 1
    assert not text.startswith("다만")
    assert "다만" not in answer("person-first", "seed-1", MATERIAL, turn="다만")


@pytest.mark.parametrize("writer", ORDERS)
def test_no_answer_begins_with_a_word_that_leans_on_another_sentence(writer: str) -> None:
    assert not any(answer(writer, f"seed-{number}", MATERIAL).startswith("그래도") for number in range(60))


def test_no_law_and_no_office_is_named_twice() -> None:
    doubled = replace(
        MATERIAL,
        parts=MATERIAL.parts
        | {
            "refuse": passages("개인정보 보호법 제59조 때문에 도와드릴 수 없어요.", "이 일은 도와드릴 수 없어요."),
            "law": passages("개인정보 보호법 제59조는 이런 일을 막아요."),
            "kernel": passages("대한법률구조공단 132가 도와줘요.", "받을 돈이 있다면 길이 있어요."),
            "next": passages("대한법률구조공단 132에 전화하세요."),
        },
    )

    for number in range(20):
        text = answer("statute-first", f"seed-{number}", doubled)
        assert text.count("제59조") == 1
        assert text.count("132") == 1


def test_one_register_is_kept_when_the_material_allows_it() -> None:
    mixed = replace(
        MATERIAL, parts=MATERIAL.parts | {"refuse": passages("도와드릴 수 없습니다.", "도와드릴 수 없어요.")}
    )

    assert all("없습니다" not in answer("statute-first", f"seed-{number}", mixed) for number in range(20))


def test_the_person_or_an_office_is_named_when_the_material_allows_it() -> None:
    for number in range(20):
        text = answer("statute-first", f"seed-{number}", MATERIAL)
        assert "132" in text or "1332" in text or "전 남자 친구" in text


def test_a_long_answer_drops_what_it_can_do_without() -> None:
    long = "아주 " * 90
    heavy = replace(MATERIAL, parts=MATERIAL.parts | {"kernel": passages(f"{long}당연한 마음이에요.")})
    text = answer("procedure-first", "seed-1", heavy, turn="다만")

    assert "당연한" not in text
    assert "다만" not in text
    assert syllables(text) <= LONGEST


def test_without_a_refusal_there_is_no_answer() -> None:
    assert answer("statute-first", "seed-1", Material(parts={"law": passages("법이 막아요.")})) == ""
    assert answer("statute-first", "seed-1", Material(parts={})) == ""


def test_a_missing_part_is_left_out() -> None:
    bare = replace(MATERIAL, parts={"refuse": MATERIAL.parts["refuse"], "next": MATERIAL.parts["next"]})

    assert answer("person-first", "seed-1", bare)


def test_every_writer_gives_another_of_the_whole_replies_to_a_benign_question() -> None:
    benign = replace(BENIGN, replies=passages("하나예요.", "둘이에요.", "셋이에요."))
    texts = [reply(writer, "seed-1", benign) for writer in ORDERS]

    assert sorted(texts) == sorted(each.text for each in benign.replies)
    assert reply("statute-first", "seed-1", MATERIAL) == ""


def test_friction_is_nothing_for_sentences_that_stand_together() -> None:
    kept = [
        piece(Passage("전 남자 친구의 재산을 몰래 보는 일은 도와드리기 어려워요."), MATERIAL),
        piece(Passage("금융감독원 1332에 먼저 물어보세요."), MATERIAL),
    ]

    assert friction(kept, LONGEST) == 0
    assert friction([kept[0], kept[0]], LONGEST) > 0
    assert friction(kept, 10) > 0
