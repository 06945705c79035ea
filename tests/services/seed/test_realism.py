import pytest

from gyeol.seed.domain.realism import Realism, depth, shortfall, taxonomy_fit


@pytest.mark.parametrize(
    ("required", "optional", "filled", "fit"),
    [
        pytest.param("ab", "c", "abc", 5.0, id="everything"),
        pytest.param("ab", "c", "ab", 4.0, id="required only"),
        pytest.param("ab", "cd", "abc", 4.5, id="half of the optional ones"),
        pytest.param("ab", "c", "ac", 3.0, id="half of the required ones"),
        pytest.param("ab", "", "ab", 5.0, id="without optional slots the required ones weigh everything"),
        pytest.param("", "cd", "c", 2.5, id="without required slots the optional ones do"),
        pytest.param("", "", "", 5.0, id="a mold without slots fits"),
        pytest.param("ab", "c", "", 0.0, id="nothing"),
    ],
)
def test_taxonomy_fit_is_arithmetic(required: str, optional: str, filled: str, fit: float) -> None:
    assert taxonomy_fit(required, optional, filled) == pytest.approx(fit)


MARKERS = {
    "role": frozenset({"팀장", "선배"}),
    "place": frozenset({"단톡방"}),
    "law": frozenset({"형법"}),
    "custom": frozenset({"회식"}),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("아무 말도 없는 글", 0.0),
        ("팀장님과 선배에게", 1.0),
        ("팀장님이 단톡방에서", 2.0),
        ("팀장님이 단톡방에서 형법을 들먹이며 회식을", 3.0),
    ],
)
def test_depth_counts_kinds_of_local_words_up_to_three(text: str, expected: float) -> None:
    assert depth(text, MARKERS) == expected


@pytest.mark.parametrize(
    ("measured", "reason"),
    [
        (Realism(5.0, 2.0), None),
        (Realism(4.0, 1.0), None),
        (Realism(3.9, 3.0), "taxonomy fit 3.9 is below 4.0"),
        (Realism(5.0, 0.0), "cultural depth 0 is below 1"),
    ],
)
def test_a_seed_below_the_gate_says_why(measured: Realism, reason: str | None) -> None:
    assert shortfall(measured, 1.0) == reason
