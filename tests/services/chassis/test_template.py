import pytest
from hypothesis import given
from hypothesis import strategies as st

from gyeol.chassis.template import SlotMissingError, TemplateSyntaxError, template


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("{target}{을/를} 찾아 줘", {"target": "팀장님"}, "팀장님을 찾아 줘"),
        ("{target}{을/를} 찾아 줘", {"target": "선배"}, "선배를 찾아 줘"),
        ("왜요?[[ {purpose} 때문에요.]]", {"purpose": "호감"}, "왜요? 호감 때문에요."),
        ("왜요?[[ {purpose} 때문에요.]]", {}, "왜요?"),
        ("[[{purpose} 때문에]] 조급하시죠.", {}, "조급하시죠."),
        ("[[{purpose} 때문에]] 조급하시죠.", {"purpose": "복수"}, "복수 때문에 조급하시죠."),
        ("저는 [[{purpose} 때문에]] 급해요.", {}, "저는 급해요."),
        ("저는 급해요 [[{purpose} 때문에]]", {}, "저는 급해요"),
        ("경찰서{으로/로} 가세요", {}, "경찰서로 가세요"),
        ("[[{a}{과/와} ]]{b}{은/는}", {"b": "형"}, "형은"),
        ("[[{a}{과/와} ]]{b}{은/는}", {"a": "누나", "b": "형"}, "누나와 형은"),
    ],
)
def test_slots_particles_and_clauses_are_rendered(text: str, values: dict[str, str], expected: str) -> None:
    assert template(text).render(values) == expected


def test_a_template_tells_its_required_and_its_optional_slots() -> None:
    parsed = template("{target}{을/를} [[{purpose} 때문에]] [[{target} 말고]] 찾아")
    assert parsed.required == {"target"}
    assert parsed.optional == {"purpose"}


def test_a_required_slot_without_a_value_is_refused_by_name() -> None:
    with pytest.raises(SlotMissingError, match="target"):
        template("{target}{을/를} 찾아").render({"target": ""})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{Target}", "neither a slot"),
        ("{을/을} 본다", "neither a slot"),
        ("{을/를} 본다", "nothing before it"),
        ("{target", "neither a slot"),
        ("가 [[ {a} [[ {b} ]] ]]", "do not nest"),
        ("가 ]]", "without"),
        ("가 [[ {a}", "never closed"),
        ("가 [[ 나 ]]", "has no slot"),
    ],
)
def test_a_malformed_template_is_refused_with_its_place(text: str, complaint: str) -> None:
    with pytest.raises(TemplateSyntaxError, match=complaint):
        template(text)


@given(st.text(alphabet="가나다 라.?", max_size=30), st.text(alphabet="가각갈", min_size=1, max_size=3))
def test_text_without_braces_is_left_as_it_is(text: str, value: str) -> None:
    assert template(text).render({"slot": value}) == text
