import pytest

from gyeol.chassis.josa import josa, pair_of


@pytest.mark.parametrize(
    ("word", "pair", "expected"),
    [
        pytest.param("팀장님", "을/를", "을", id="after a consonant"),
        pytest.param("친구", "을/를", "를", id="after a vowel"),
        pytest.param("서울", "으로/로", "로", id="ㄹ counts as a vowel before 로"),
        pytest.param("서울", "은/는", "은", id="ㄹ counts as a consonant otherwise"),
        pytest.param("부산", "으로/로", "으로", id="로 after a consonant"),
        pytest.param("112", "을/를", "를", id="a number is read aloud: 이"),
        pytest.param("1366", "으로/로", "으로", id="육"),
        pytest.param("117", "으로/로", "로", id="칠"),
        pytest.param("110", "이/가", "이", id="십"),
        pytest.param("1,000,000,000,000", "이/가", "가", id="조"),
        pytest.param("CCTV", "을/를", "를", id="an abbreviation is spelled out: 브이"),
        pytest.param("SNS", "이/가", "가", id="에스"),
        pytest.param("DM", "으로/로", "으로", id="엠"),
        pytest.param("URL", "으로/로", "로", id="엘"),
        pytest.param("Instagram", "은/는", "은", id="a word is sounded: 그램"),
        pytest.param("Google", "으로/로", "로", id="구글"),
        pytest.param("YouTube", "을/를", "를", id="유튜브"),
        pytest.param("공소청(옛 검찰청)", "은/는", "은", id="a remark in brackets is skipped"),
        pytest.param("경찰서(112)", "과/와", "와", id="also with a number in it"),
        pytest.param("「개인정보 보호법」", "을/를", "을", id="a closing quotation mark is skipped"),
        pytest.param("30%", "이/가", "가", id="퍼센트"),
        pytest.param("…", "을/를", "을(를)", id="unreadable: both forms"),
        pytest.param("철수", "아/야", "야", id="vocative after a vowel"),
        pytest.param("선생님", "이에요/예요", "이에요", id="copula"),
        pytest.param("언니", "이에요/예요", "예요", id="copula after a vowel"),
        pytest.param("과자".encode().decode(), "이랑/랑", "랑", id="이랑"),
        pytest.param("\u1100\u1161\u11a8", "은/는", "은", id="decomposed syllables are composed first"),
    ],
)
def test_the_particle_fits_the_word_as_it_is_read_aloud(word: str, pair: str, expected: str) -> None:
    forms = pair_of(pair)
    assert forms is not None
    assert josa(word, *forms) == expected


@pytest.mark.parametrize("alternation", ["을/을", "이/", "남자/여자", "target", "를/을", "이에요/요"])
def test_what_is_no_particle_is_not_taken_for_one(alternation: str) -> None:
    assert pair_of(alternation) is None
