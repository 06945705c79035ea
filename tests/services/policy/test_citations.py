import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gyeol.policy.domain.citation.checker import Checker
from gyeol.policy.domain.citation.verdict import Verdict
from gyeol.policy.domain.law import EMPTY
from gyeol.policy.domain.statute import Article, Void
from gyeol.policy.errors import ArticleInvalidError
from support.citations import cases, score
from support.culture import TODAY, korean

LEAST = {"citations": 300, "citations-second": 150, "citations-third": 500}
"""Citations that a list has at least."""
LISTS = {name: list(cases(Path(__file__).with_name(f"{name}.txt"))) for name in LEAST}
CHECKER = Checker(korean().pack, korean().laws)


@pytest.mark.parametrize(("name", "least"), LEAST.items())
def test_the_lists_are_long_enough_to_measure_with(name: str, least: int) -> None:
    assert sum(len(case.expected) for case in LISTS[name]) >= least


@pytest.mark.parametrize("name", list(LISTS))
@pytest.mark.parametrize("verdict", list(Verdict), ids=lambda verdict: verdict.value)
def test_precision_and_recall_reach_98_percent_for_each_verdict(verdict: Verdict, name: str) -> None:
    result = score(LISTS[name], CHECKER.report)
    assert result.precision(verdict) >= 0.98, "\n".join(result.faults)
    assert result.recall(verdict) >= 0.98, "\n".join(result.faults)


def test_at_least_200_answers_a_second_are_checked_on_one_core() -> None:
    answer = (
        "많이 속상하셨겠어요. 정보통신망 이용촉진 및 정보보호 등에 관한 법률 제44조의7과 형법 제307조, 제311조는 이런 글을 막고 있어요. "
        "개인정보 보호법 제59조도 살펴보시고, 대한법률구조공단 132나 경찰 민원상담 182에 물어보세요. "
        "그 사람과 직접 이야기하기 어렵다면 방송미디어통신심의위원회 1377에 삭제를 요청할 수 있어요. "
    ) * 2
    CHECKER.report(answer, TODAY)
    started = time.process_time()
    for number in range(100):
        CHECKER.report(f"{number} {answer}", TODAY)
    assert 100 / (time.process_time() - started) >= 200


@pytest.mark.parametrize("text", ["제3조, " * 1500, "가" * 3000 + " 제3조", "The Cat and Dog of " * 300 + "Article 5"])
def test_a_text_of_one_kind_takes_no_longer_than_its_length_asks_for(text: str) -> None:
    CHECKER.report("가나다법 제3조", TODAY)
    started = time.process_time()
    CHECKER.report(text, TODAY)
    assert time.process_time() - started < 2


def test_places_count_characters_of_the_text_as_given() -> None:
    text = "그건 「형법」\u3000제３０７조·제311조와 여성긴급전화\u00a01366에 물어보세요."
    report = CHECKER.report(text, TODAY)
    assert [text[c.start : c.end] for c in report.citations] == ["「형법」\u3000제３０７조", "제311조"]
    assert [c.text for c in report.citations] == [text[c.start : c.end] for c in report.citations]
    assert [m.text for m in report.institutions] == ["여성긴급전화\u00a01366"]


@pytest.mark.parametrize(
    ("text", "law", "suggestion"),
    [
        ("개인정보보호기본법 제15조", "개인정보보호기본법", "개인정보 보호법 제15조"),
        (
            "정신보건법 제24조",
            "정신건강증진 및 정신질환자 복지서비스 지원에 관한 법률",
            "정신건강증진 및 정신질환자 복지서비스 지원에 관한 법률",
        ),
        ("검찰청법 제4조", "검찰청법", "공소청법"),
        (
            "성폭력범죄 처벌 특례법 제14조",
            "성폭력범죄의 처벌 등에 관한 특례법",
            "성폭력범죄의 처벌 등에 관한 특례법 제14조",
        ),
        ("형법 제307조", "형법", ""),
        ("화성인권리법 제1조", "화성인권리법", ""),
    ],
)
def test_what_to_write_instead_is_suggested_where_it_is_known(text: str, law: str, suggestion: str) -> None:
    (citation,) = CHECKER.report(text, TODAY).citations
    assert (citation.finding.law, citation.finding.suggestion) == (law, suggestion)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("인지세법 제11조의9부터", [("인지세법", "제11조의9")]),
        ("형법 제347조의2인지", [("형법", "제347조의2")]),
        ("형법 제347조의2대로", [("형법", "제347조의2")]),
        ("형법 제347조의 2부를", [("형법", "제347조")]),
        ("조별 과제 2조 발표자", []),
        ("형법제 307조", [("형법", "제307조")]),
        ("개인정보처리방침 제8조", []),
        ("5.18민주화운동 등에 관한 특별법 제8조", [("5ㆍ18민주화운동 등에 관한 특별법", "제8조")]),
        ("「제주4.3특별법」 제13조", [("제주4ㆍ3사건 진상규명 및 희생자 명예회복에 관한 특별법", "제13조")]),
        ("의료법 시행령 제10조와 같은 법 제33조", [("의료법 시행령", "제10조"), ("의료법", "제33조")]),
        ("의료법 시행령 제10조, 같은 법 시행규칙 제3조", [("의료법 시행령", "제10조"), ("의료법 시행규칙", "제3조")]),
        ("형 법 제 307 조", [("형법", "제307조")]),
        ("대형 법 제정 3조 논의", []),
        ("공직선거법 82조의6 인터넷 실명제", [("공직선거법", "제82조의6")]),
        ("정보통신망법 제44-7조", [("정보통신망 이용촉진 및 정보보호 등에 관한 법률", "제44조의7")]),
        ("형법 307-309조", [("형법", "제307조"), ("형법", "제309조")]),
        ("근로기준법 §§ 23, 24", [("근로기준법", "제23조"), ("근로기준법", "제24조")]),
        ("법령 설명(https://www.law.go.kr/법령/형법)을 보세요.", []),
        ("형법 부칙(2020. 5. 19.) 제2조", [("형법", "제2조")]),
        ("의료법 시행령 제10조와 같은 영 제11조", [("의료법 시행령", "제10조"), ("의료법 시행령", "제11조")]),
    ],
)
def test_a_law_and_an_article_are_read_as_people_write_them(text: str, expected: list[tuple[str, str]]) -> None:
    found = CHECKER.report(text, TODAY).citations
    assert [(citation.finding.law, citation.article) for citation in found] == expected


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("전국민 고용안정 특별조치법 제15조를 위반하면", "전국민 고용안정 특별조치법"),
        ("회사는 직장 내 존댓말 사용 촉진에 관한 법률 제4조에 따라", "직장 내 존댓말 사용 촉진에 관한 법률"),
        ("인공지능 피해자를 위한 긴급 구제에 관한 특별법 제11조", "인공지능 피해자를 위한 긴급 구제에 관한 특별법"),
        ("친구가 알려 준 온라인 평판 회복법 제8조를 믿었어요.", "온라인 평판 회복법"),
        ("형법 제307조 및 온라인 혐오 표현 금지법 제2조", "온라인 혐오 표현 금지법"),
        ("아버지가 알아본 노후 소득 보장 특별법 제5조", "노후 소득 보장 특별법"),
        ("국회에서 논의 중인 생성형 인공지능 저작권 보호법 제10조", "생성형 인공지능 저작권 보호법"),
        ("전 국민 심리상담 의무화법 제8조", "전 국민 심리상담 의무화법"),
        ("| 사이버 예절 기본법 | 제3조 |", "사이버 예절 기본법"),
        ("**가상 연애 보호법** 제3조", "가상 연애 보호법"),
        ("공공예절진흥법 시행령 제2조", "공공예절진흥법 시행령"),
    ],
)
def test_the_name_of_a_law_that_does_not_exist_is_taken_whole(text: str, law: str) -> None:
    finding = CHECKER.report(text, TODAY).citations[-1].finding
    assert (finding.law, finding.verdict) == (law, Verdict.NOT_FOUND)


@pytest.mark.parametrize(
    ("text", "law"),
    [
        ("서울특별시 학생인권 조례 제6조", "서울특별시 학생인권 조례"),
        ("유엔 장애인권리협약 제5조", "유엔 장애인권리협약"),
        ("보건복지부 고시 제2024-12호 제3조", "보건복지부 고시"),
        ("일본 형법 제230조", "일본 형법"),
        ("독일기본법 제1조", "독일기본법"),
        ("미국 캘리포니아주 형법 제187조", "미국 캘리포니아주 형법"),
        ("일본국 헌법 제9조", "일본국 헌법"),
        ("오스트리아 「금지법」 제3조", "오스트리아 금지법"),
        ("Article 8 of the European Convention on Human Rights", "European Convention on Human Rights"),
        ("GDPR 제17조", "GDPR"),
        ("Article 709 of the Japanese Civil Code", "Japanese Civil Code"),
        ("구 형법 제304조", "형법"),
    ],
)
def test_what_the_index_does_not_hold_is_named_and_left_unchecked(text: str, law: str) -> None:
    (citation,) = CHECKER.report(text, TODAY).citations
    assert (citation.finding.law, citation.finding.verdict) == (law, Verdict.UNCHECKED)


@pytest.mark.parametrize(
    ("text", "articles"),
    [
        ("제15조에 따라 처리됩니다.", ["제15조"]),
        ("제2조 2항을 보십시오.", ["제2조"]),
        ("제347조에 나와 있어요.", ["제347조"]),
        ("제2조가 먼저 출발하고 제3조가 뒤따릅니다.", []),
        ("제1조 배수 편성에 들어갔다.", []),
        ("이번 발표 순서는 제3조, 제1조입니다.", []),
    ],
)
def test_a_number_of_no_law_is_a_citation_only_where_the_words_around_it_say_so(text: str, articles: list[str]) -> None:
    citations = CHECKER.report(text, TODAY).citations
    assert [citation.article for citation in citations] == articles
    assert all(citation.finding.verdict is Verdict.UNCHECKED for citation in citations)


def test_a_law_is_not_in_force_before_its_first_day_even_if_it_was_amended_before_that_day() -> None:
    findings = [CHECKER.article("AI 기본법", "제31조", on)[1] for on in ("2025-06-01", "2026-01-21", "2026-01-22")]
    assert [finding.verdict for finding in findings] == [
        Verdict.NOT_IN_FORCE,
        Verdict.NOT_IN_FORCE,
        Verdict.VERIFIED,
    ]
    assert findings[0].reason == "2026-01-22부터 시행되는 법입니다."


def test_a_new_paragraph_does_not_take_over_the_law_of_the_one_before() -> None:
    text = "의료법 제27조를 보세요. 제88조도요.\n\n우리 반은 제2조 발표가 먼저예요."
    found = [(m.article, m.finding.verdict) for m in CHECKER.report(text, TODAY).citations]
    assert found == [("제27조", Verdict.VERIFIED), ("제88조", Verdict.VERIFIED)]


@pytest.mark.parametrize(
    ("text", "articles"),
    [
        ("주택임대차보호법 제7조의 5% 한도", ["제7조"]),
        ("근로기준법 제56조의 50 퍼센트 가산", ["제56조"]),
        ("개인정보 보호법 39조에 손해배상이 있고 39조의2에 법정손해배상이 있어요.", ["제39조", "제39조의2"]),
    ],
)
def test_an_amount_is_no_branch_and_a_branch_is_an_article(text: str, articles: list[str]) -> None:
    report = CHECKER.report(text, TODAY)
    assert [m.article for m in report.citations] == articles
    assert all(m.finding.verdict is Verdict.VERIFIED for m in report.citations)


@pytest.mark.parametrize(
    ("text", "on", "expected"),
    [
        ("여성긴급전화 1366에 전화하세요.", TODAY, [("여성긴급전화 1366", "V", "")]),
        ("국번 없이 112로 신고하세요.", TODAY, [("112", "V", "")]),
        ("자살예방상담전화 1393으로 연락하세요.", TODAY, [("자살예방상담전화 1393", "N", "자살예방상담전화 109")]),
        ("힘들 때는 1393에 전화하세요.", TODAY, [("1393", "N", "자살예방상담전화 109")]),
        ("검찰청에 고소장을 내세요.", TODAY, [("검찰청", "N", "공소청(광역·지방공소청)")]),
        ("검찰청에 고소장을 내세요.", "2026-09-30", [("검찰청", "V", "")]),
        ("서울중앙지방검찰청에 가세요.", TODAY, [("서울중앙지방검찰청", "N", "공소청(광역·지방공소청)")]),
        (
            "여성가족부와 방통위에 문의하세요.",
            TODAY,
            [("여성가족부", "N", "성평등가족부"), ("방통위", "N", "방송미디어통신위원회(방미통위)")],
        ),
        ("여성긴급전화 1388", TODAY, [("여성긴급전화 1388", "F", "여성긴급전화 1366")]),
        ("문의는 1577-0000으로 주세요.", TODAY, [("1577-0000", "U", "")]),
        ("환경부담금을 냈고 112명이 왔어요. 1366년의 일입니다.", TODAY, []),
        ("옛 여성가족부가 하던 일이에요.", TODAY, []),
        ("2026년에 검찰청이 없어지고 공소청이 생겼어요.", TODAY, [("공소청", "V", "")]),
        ("여성긴급전화 1366에 전화하세요.", "2031-01-01", [("여성긴급전화 1366", "U", "")]),
    ],
)
def test_offices_and_numbers_are_known_and_stale_ones_explained(
    text: str, on: str, expected: list[tuple[str, str, str]]
) -> None:
    letters = {Verdict.VERIFIED: "V", Verdict.NOT_IN_FORCE: "N", Verdict.NOT_FOUND: "F", Verdict.UNCHECKED: "U"}
    mentions = CHECKER.report(text, on).institutions
    assert [(m.text, letters[m.finding.verdict], m.finding.suggestion) for m in mentions] == expected
    assert all(mention.finding.reason for mention in mentions)


@pytest.mark.parametrize(
    ("law", "article", "on", "verdict", "reason"),
    [
        ("국가인권위원회법", "제50조", TODAY, Verdict.VERIFIED, "시행 중인 조문입니다."),
        ("헌법", "제10조", TODAY, Verdict.VERIFIED, "시행 중인 조문입니다."),
        ("공소청법", "제4조", "2026-10-01", Verdict.NOT_IN_FORCE, "2026-10-02부터 시행되는 법입니다."),
        ("검찰청법", "제4조", TODAY, Verdict.NOT_IN_FORCE, "2026-10-02에 폐지된 법입니다."),
    ],
)
def test_the_reason_is_a_sentence_whatever_the_index_holds(
    law: str, article: str, on: str, verdict: Verdict, reason: str
) -> None:
    _, finding = CHECKER.article(law, article, on)
    assert (finding.verdict, finding.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("article", "verdict", "words"),
    [
        ("제269조제1항", Verdict.NOT_IN_FORCE, "헌법불합치"),
        ("269조 ①", Verdict.NOT_IN_FORCE, "law.go.kr에서 확인하세요"),
        ("제270조제1항", Verdict.NOT_IN_FORCE, "의사 낙태 부분"),
        ("제270조제2항", Verdict.VERIFIED, "의사 등의 낙태"),
        ("제269조", Verdict.UNCHECKED, "어느 부분인지 적어야"),
    ],
)
def test_what_a_court_took_out_of_force_is_not_verified_by_the_words_that_still_stand(
    article: str, verdict: Verdict, words: str
) -> None:
    _, finding = CHECKER.article("형법", article, TODAY)
    assert finding.verdict is verdict
    assert words in finding.reason


def test_a_part_was_in_force_until_it_was_struck_down() -> None:
    void = Void("2026-10-01", "효력을 잃었습니다.", "제1항")
    statute = replace(
        korean().pack.statutes["criminal-act"], articles=(Article("제260조", "폭행", True, void=(void,)),)
    )
    pack = replace(korean().pack, statutes={**korean().pack.statutes, "criminal-act": statute})
    checker = Checker(pack, EMPTY)
    verdicts = [checker.article("형법", "제260조제1항", on)[1].verdict for on in ("2026-09-30", "2026-10-01")]
    assert verdicts == [Verdict.VERIFIED, Verdict.NOT_IN_FORCE]


@pytest.mark.parametrize(
    "text", ["상담을 받아 보세요.", "그냥 신고하세요. 전화도 좋아요.", "센터와 법원에 물어보세요."]
)
def test_everyday_words_are_no_offices(text: str) -> None:
    assert CHECKER.report(text, TODAY).institutions == ()


def test_an_article_can_be_asked_for_by_any_name_of_its_law() -> None:
    for name in ("개인정보 보호법", "개인정보보호법", "개보법", "Personal Information Protection Act", "PIPA"):
        article, finding = CHECKER.article(name, "24조의2", TODAY)
        assert (finding.verdict, article, finding.heading) == (
            Verdict.VERIFIED,
            "제24조의2",
            "주민등록번호 처리의 제한",
        )
    with pytest.raises(ArticleInvalidError, match="write a number such as 제44조의7"):
        CHECKER.article("형법", "삼백칠", TODAY)


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="형법민제조항의307 ·~,()「」및같은 법시행령부칙a§Article\n.", max_size=60))
def test_whatever_is_written_is_read_without_fault_and_in_order(text: str) -> None:
    citations = CHECKER.report(text, TODAY).citations
    starts = [citation.start for citation in citations]
    assert starts == sorted(starts)
    assert all(citation.text == text[citation.start : citation.end] for citation in citations)
