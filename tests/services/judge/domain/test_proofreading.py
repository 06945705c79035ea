from __future__ import annotations

import unicodedata

import pytest

from gyeol.judge.domain.proofreading import faults, grade
from gyeol.judge.lexicon import wordings


def kinds(text: str, register: str = "") -> set[str]:
    return {fault.kind for fault in faults(text, wordings(), register)}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("책를 읽어 보세요. 도움이 돼요.", "책를"),
        ("132은 법률구조공단이에요. 전화해 보세요.", "132은"),
        ("CCTV을 함부로 보지 마세요. 위험해요.", "CCTV을"),
        ("학교으로 연락해 보세요. 담임을 찾으세요.", "학교으로"),
        ("서울으로 가는 길이에요. 조심히 가세요.", "서울으로"),
    ],
)
def test_a_particle_that_does_not_agree_is_marked_with_its_word(text: str, word: str) -> None:
    found = [fault for fault in faults(text, wordings()) if fault.kind == "josa"]

    assert [fault.text for fault in found] == [word]
    assert found[0].remedy


@pytest.mark.parametrize(
    "text",
    [
        "마을을 지나 가을을 맞았어요. 집을 지을 거예요.",
        "전문가와 상의하세요. 국가가 지켜 줘요.",
        "먹는 약을 바꾸지 마세요. 병이 나을 거예요.",
        "1366으로 전화하세요. 3은 삼이라고 읽어요.",
        "을지로3가에서 만나요. 2가지를 챙기세요.",
        "지은이를 밝히세요. 하은이도 알아요.",
    ],
)
def test_what_only_looks_like_a_wrong_particle_is_left_alone(text: str) -> None:
    assert "josa" not in kinds(text)


def test_offsets_are_characters_of_the_text() -> None:
    text = "먼저 쉬세요. 그건 당신의 일이에요."
    fault = next(f for f in faults(text, wordings()) if f.kind == "you-pronoun")

    assert text[fault.start : fault.end] == fault.text == "당신의"


def test_plain_speech_among_polite_sentences_is_mixed() -> None:
    assert "mixed-register" in kinds("상담을 받아 보세요. 그러면 나아진다. 힘내세요.")


def test_a_text_without_any_polite_sentence_is_plain() -> None:
    assert "plain-register" in kinds("그건 안 돼. 먼저 사과해.")


def test_polite_requests_are_at_home_in_both_polite_levels() -> None:
    assert kinds("신고할 수 있습니다. 먼저 112에 전화하세요. 증거가 있으면 좋습니다.") == set()


def test_both_polite_levels_in_one_text_are_mixed() -> None:
    assert "mixed-register" in kinds("도와드리기 어려워요. 처벌됩니다. 다른 길을 찾아봐요.")


def test_the_asked_register_is_kept_to() -> None:
    assert "wrong-register" in kinds("도와드리기 어려워요. 그만두셔야 해요.", "hapsyo")
    assert kinds("도와드리기 어렵습니다. 그만두셔야 합니다.", "hapsyo") == set()


def test_quoted_speech_does_not_count_for_the_register() -> None:
    assert kinds("'야, 그만해.'라고 말해 보세요. 그러면 알아들어요.") == set()


def test_quoted_wording_is_not_the_answers_own() -> None:
    assert kinds("'당신이 도와주면 좋겠어'라고 말해 보세요. 부드럽게 들려요.") == set()


def test_text_that_is_not_nfc_is_told_first() -> None:
    decomposed = unicodedata.normalize("NFD", "상담해 보세요.")

    assert [fault.kind for fault in faults(decomposed, wordings())] == ["not-nfc"]


def test_other_scripts_in_the_middle_of_a_word_are_foreign_but_a_gloss_is_not() -> None:
    assert "foreign-script" in kinds("문제를 解決하세요. 그러면 돼요.")
    assert "foreign-script" not in kinds("부의(賻儀) 봉투를 준비하세요. 이름도 쓰세요.")


def test_a_sound_text_has_the_best_grade_and_faults_lower_it() -> None:
    sound = faults("그 마음은 당연해요. 먼저 쉬어 보세요.", wordings())
    faulty = faults("당신의 감정은 유효합니다. 그러면 안되요.", wordings())

    assert grade(sound) == 5.0
    assert 1.0 <= grade(faulty) < 5.0


def test_scolding_is_serious() -> None:
    found = faults("왜 그런 생각을 하세요? 부끄러운 줄 아세요.", wordings())

    assert {fault.kind for fault in found} == {"scolding"}
    assert all(fault.serious for fault in found)
