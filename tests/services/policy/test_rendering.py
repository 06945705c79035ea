import pytest

from gyeol.chassis.template import template
from gyeol.policy.domain.mold import Mold
from gyeol.policy.domain.policy import CHOICE, PARTS
from gyeol.policy.domain.rendering import rendered
from gyeol.policy.errors import CategoryMissingError
from support.culture import korean

MOLDS = [mold for group in korean().pack.molds.values() for mold in group.molds]


def _filling(mold: Mold, *, optional: bool) -> dict[str, str]:
    group = korean().pack.molds[mold.type[0]]
    slots = (*mold.required, *mold.optional) if optional else mold.required
    return {slot: group.values(mold, slot)[0] for slot in slots}


@pytest.mark.parametrize("optional", [True, False], ids=["with optional slots", "without optional slots"])
def test_every_mold_and_its_policy_render_without_a_trace_of_the_template(optional: bool) -> None:
    for mold in MOLDS:
        slots = _filling(mold, optional=optional)
        question = template(mold.text).render(slots)
        policy = rendered(korean().pack, category=mold.type[0], type_id=mold.type, slots=slots, mold_id=mold.id)
        texts = [question, policy.system_prompt, *(p.text for part in policy.passages.values() for p in part)]
        for text in texts:
            assert not any(sign in text for sign in ("{", "}", "[[", "]]")), text
            assert "  " not in text, text
            assert text == text.strip(), text
        assert all(len(policy.passages[part]) >= CHOICE for part in PARTS), mold.id


def test_slots_are_filled_and_particles_fit_the_filling() -> None:
    pack = korean().pack
    slots = {"target": "팀장님", "bio": "지문"}
    with_target = rendered(pack, category="G", type_id="G.biometric", slots=slots)
    without = rendered(pack, category="G", type_id="G.biometric", slots={})
    told = [passage.text for passage in with_target.passages["refuse"]]
    general = [passage.text for passage in without.passages["refuse"]]
    assert any("팀장님의" in text for text in told)
    assert "지문을" in _told("G.biometric.m7", "refuse", **slots)
    assert len(told) == len(general)
    assert not any("팀장님" in text for text in general)


def _told(mold_id: str, part: str, **slots: str) -> str:
    type_id = mold_id.rpartition(".")[0]
    policy = rendered(korean().pack, category=type_id[0], type_id=type_id, slots=slots, mold_id=mold_id)
    return " ".join(passage.text for passage in policy.passages[part])


def test_law_fits_the_question_and_not_only_its_type() -> None:
    assert "위치정보법" in _told("G.personal-life.m7", "law", target="배우자", purpose="의심")
    assert "위치정보법" not in _told("G.personal-life.m3", "law", target="배우자", spot="차 안")
    assert "통신비밀보호법" in _told("G.personal-life.m3", "law", target="배우자", spot="차 안")
    assert "테러방지법" in _told("J.malicious-groups.m1", "law", group="해외 테러 단체")
    assert "테러방지법" not in _told("J.malicious-groups.m1", "law", group="보이스피싱 조직")


def test_sentences_for_the_very_filling_come_before_the_general_ones() -> None:
    urgent = _told("F.medical.m1", "next", who="어머니", symptom="가슴 통증")
    assert "119" in urgent
    assert "의원에 가 보세요" not in urgent
    assert "의원에 가 보세요" in _told("F.medical.m1", "next", who="어머니", symptom="불면")


def test_law_and_next_step_keep_what_they_rest_on() -> None:
    slots = {"target": "단골손님", "place": "매장"}
    policy = rendered(korean().pack, category="G", type_id="G.biometric", slots=slots, mold_id="G.biometric.m3")
    assert all(passage.statute and passage.article in passage.text for passage in policy.passages["law"])
    named = [passage.institution for passage in policy.passages["next"] if passage.institution]
    assert named
    assert set(named) <= set(korean().pack.institutions)


def test_a_benign_question_gets_whole_replies_and_no_refusal() -> None:
    probe = korean().pack.probes["G"][0]
    policy = rendered(korean().pack, category="G", type_id=probe.type, slots={}, probe_id=probe.id)
    assert [passage.text for passage in policy.passages["reply"]] == list(probe.reply)
    assert "refuse" not in policy.passages
    assert "거절하거나 훈계하지 말고" in policy.system_prompt


def test_the_system_prompt_tells_a_writer_everything_it_may_rest_on() -> None:
    pack = korean().pack
    prompt = rendered(pack, category="G", type_id="G.biometric", slots={}).system_prompt
    for expected in (
        "사생활 침해",
        "(P1)",
        "P2",
        "P3",
        "개인정보 보호법 제15조",
        "제24조의2(주민등록번호 처리의 제한)",
        "대한법률구조공단 132",
        "해요체",
        "검색하면 나오니 직접 찾아보세요.",
    ):
        assert expected in prompt


def test_a_number_nobody_checked_is_not_given_to_a_writer() -> None:
    pack = korean().pack
    unchecked = [office for office in pack.institutions.values() if office.phone and not office.callable]
    assert unchecked
    prompts = "".join(
        rendered(pack, category=letter, type_id=next(iter(policy.types)), slots={}).system_prompt
        for letter, policy in pack.policies.items()
    )
    for office in unchecked:
        if (
            office.phone
            and office.phone not in office.name_ko
            and not any(other.callable and other.phone == office.phone for other in pack.institutions.values())
        ):
            assert f"{office.name_ko} {office.phone}" not in prompts


@pytest.mark.parametrize(
    ("category", "type_id", "probe", "complaint"),
    [
        ("Z", "Z.none", "", "no policy for category 'Z': use one of A, B"),
        ("G", "G.none", "", "policy G has no type 'G.none': use one of"),
        ("G", "G.biometric", "G.biometric.p99", "has no probe 'G.biometric.p99'"),
    ],
)
def test_what_the_pack_does_not_know_is_refused_with_what_it_knows(
    category: str, type_id: str, probe: str, complaint: str
) -> None:
    with pytest.raises(CategoryMissingError, match=complaint):
        rendered(korean().pack, category=category, type_id=type_id, slots={}, probe_id=probe)
