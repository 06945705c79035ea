from pathlib import Path

import pytest

from gyeol.policy.domain.law import DELETED
from gyeol.policy.errors import LawMissingError, MirrorInvalidError
from gyeol.policy.store import index
from gyeol.policy.store.mirror import article_text, build
from support.mirror import Mirror


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    made = Mirror(tmp_path_factory.mktemp("law") / "mirror")
    # An old act under the same title, of 1997, holds the plain file name; the present one got the qualified name.
    made.amend(
        "근로기준법/법률.md",
        name="근로기준법",
        law_id="001769",
        promulgated="1997-03-13",
        effective="1997-03-13",
        change="제정",
        articles={"제1조": "목적"},
    )
    made.amend(
        "근로기준법/법률(법률).md",
        name="근로기준법",
        law_id="001872",
        promulgated="2019-01-15",
        effective="2019-07-16",
        change="일부개정",
        articles={"제1조": "목적", "제35조": "예고해고의 적용 예외", "제76조의2": "직장 내 괴롭힘의 금지"},
    )
    made.amend(
        "근로기준법/법률(법률).md",
        name="근로기준법",
        law_id="001872",
        promulgated="2024-01-01",
        effective="2024-01-01",
        change="일부개정",
        articles={"제1조": "목적", "제35조": "삭제", "제76조의2": "직장 내 괴롭힘의 금지"},
    )
    made.amend(
        "근로기준법/법률(법률).md",
        name="근로기준법",
        law_id="001872",
        promulgated="2026-03-17",
        effective="2027-01-01",
        change="일부개정",
        articles={"제1조": "목적", "제35조": "삭제", "제76조의2": "직장 내 괴롭힘의 금지", "제76조의4": "조사 의무"},
    )
    made.amend(
        "전기통신금융사기피해방지및피해금환급에관한특별법/법률.md",
        name="전기통신금융사기 피해 방지 및 피해금 환급에 관한 특별법",
        law_id="011359",
        promulgated="2011-03-29",
        effective="2011-09-30",
        change="제정",
        articles={"제1조": "목적", "제15조의2": "벌칙"},
    )
    made.amend(
        "전기통신금융사기피해방지및피해금환급에관한특별법/법률.md",
        name="전기통신금융사기 피해 방지 및 피해자산 환급에 관한 특별법",
        law_id="011359",
        promulgated="2026-03-31",
        effective="2026-10-01",
        change="일부개정",
        articles={"제1조": "목적", "제15조의2": "벌칙"},
    )
    made.amend(
        "어촌ㆍ어항법/법률.md",
        name="어촌ㆍ어항법",
        law_id="009001",
        promulgated="2005-05-31",
        effective="2005-12-01",
        change="제정",
        articles={"제23조": "어항개발사업"},
    )
    made.amend(
        "검찰청법/법률.md",
        name="검찰청법",
        law_id="001286",
        promulgated="2026-03-24",
        effective="2026-10-02",
        change="타법폐지",
        articles={"제4조": "검사의 직무"},
    )
    made.amend(
        "어촌ㆍ어항법/시행령.md",
        name="어촌ㆍ어항법 시행령",
        law_id="009002",
        promulgated="2026-05-01",
        effective="2026-05-01",
        change="일부개정",
        articles={"제1조": "목적"},
        kind="대통령령",
    )
    return made


def test_a_title_shared_by_an_old_act_means_the_act_in_force(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index")
    law = laws.by_name("근로기준법")
    assert law is not None
    assert law.id == "001872"


def test_an_article_of_a_text_not_yet_in_force_begins_on_its_day(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index")
    (span,) = (laws.articles("001872") or {})["제76조의4"]
    assert span.since == "2027-01-01"
    assert not span.covers("2026-11-30")
    assert span.covers("2027-01-01")


def test_a_deleted_article_is_known_to_have_been_there(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index")
    before, after = (laws.articles("001872") or {})["제35조"]
    assert (before.heading, before.until) == ("예고해고의 적용 예외", "2024-01-01")
    assert (after.heading, after.since) == (DELETED, "2024-01-01")


def test_a_renamed_law_keeps_its_former_title_and_the_day_it_ended(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index")
    former = laws.by_former_title("전기통신금융사기 피해 방지 및 피해금 환급에 관한 특별법")
    assert former is not None
    title, law = former
    assert (title.until, law.id, law.since) == ("2026-10-01", "011359", "2011-09-30")


def test_a_repealed_law_is_kept_with_its_last_day(mirror: Mirror, tmp_path: Path) -> None:
    law = build(mirror.folder, tmp_path / "index").by_name("검찰청법")
    assert law is not None
    assert law.repealed_on == "2026-10-02"


def test_middle_dots_are_the_same_whichever_is_written(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index")
    assert laws.by_name("어촌·어항법") == laws.by_name("어촌ㆍ어항법") == laws.by_name("어촌어항법")


def test_decrees_are_known_by_name_and_their_articles_are_not_held(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index")
    decree = laws.by_name("어촌·어항법 시행령")
    assert decree is not None
    assert laws.articles(decree.id) is None


def test_what_stands_in_the_addenda_is_no_article(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index")
    assert "제999조" not in (laws.articles("001872") or {})


def test_the_same_commit_gives_the_same_bytes(mirror: Mirror, tmp_path: Path) -> None:
    build(mirror.folder, tmp_path / "one")
    build(mirror.folder, tmp_path / "two")
    for name in (index.LAWS, index.ARTICLES):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_history_can_be_kept_for_chosen_laws_only(mirror: Mirror, tmp_path: Path) -> None:
    laws = build(mirror.folder, tmp_path / "index", history_of=frozenset({"011359"}))
    assert laws.by_former_title("전기통신금융사기 피해 방지 및 피해금 환급에 관한 특별법") is not None
    (span,) = (laws.articles("001872") or {})["제76조의4"]
    assert span.since == ""


def test_the_text_of_an_article_is_the_one_in_force_on_the_day(mirror: Mirror) -> None:
    text = article_text(mirror.folder, "근로기준법", "제76조의2", "2020-05-01")
    assert text.startswith("##### 제76조의2 (직장 내 괴롭힘의 금지)")
    assert "2019-07-16부터" in text
    assert "제1조" not in text
    with pytest.raises(LawMissingError, match="제76조의4"):
        article_text(mirror.folder, "근로기준법", "제76조의4", "2026-11-30")


def test_a_folder_that_is_no_mirror_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(MirrorInvalidError, match="clone the statute mirror"):
        build(tmp_path, tmp_path / "index")
