import pytest

from gyeol.policy.domain.check.amount import limits, penalties


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("형법 제257조에 따라 7년 이하 징역까지 받을 수 있어요.", {"7년이하"}),
        ("5년 이하의 징역이나 5천만 원 이하의 벌금을 받을 수 있습니다.", {"5년이하", "5천만원"}),
        ("1년 이상 10년 이하 징역과 5년 이하 자격정지", {"1년이상", "10년이하"}),
        ("65억원 이하 벌금 병과; 산업기술 국외 15년 이하 징역 또는 30억원 이하 벌금", {"65억원", "15년이하", "30억원"}),
        ("5천만 원 이하의 과태료를 물 수 있어요.", {"5천만원"}),
        ("6개월 이하 징역", {"6개월이하"}),
        ("범인을 안 날부터 6개월 안에 고소해야 해요.", set()),
        ("정년은 60세 이상이고 복무 기간은 36개월이에요.", set()),
        ("이자는 연 20퍼센트를 넘을 수 없고 5천만 원까지 빌릴 수 있어요.", set()),
    ],
)
def test_terms_and_fines_are_read_and_other_numbers_are_not(text: str, found: set[str]) -> None:
    assert penalties(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("범인을 안 날부터 6개월 안에 고소해야 해요.", {"6개월"}),
        ("받은 날부터 2주 이내, 늦어도 30일 내에 하세요.", {"2주", "30일"}),
        ("정년은 60세 이상이에요. 15세도 볼 수 있어요.", {"60세"}),
        ("3년 이하 징역까지 받을 수 있어요.", set()),
        ("오늘 안에 전화하세요. 일주일 안에 답이 와요.", set()),
        ("복무 기간은 36개월이에요.", set()),
    ],
)
def test_time_limits_and_ages_are_read_and_other_numbers_are_not(text: str, found: set[str]) -> None:
    assert limits(text) == found
