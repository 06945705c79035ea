"""Players whose score is known beforehand: an oracle, one who always says A, one who takes the longest, one who guesses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from statistics import fmean

import pytest
from typer.testing import CliRunner

from gyeol.evaluate.command import command
from gyeol.evaluate.derived import Measured, figure_value
from gyeol.evaluate.format.loader import file_items
from gyeol.evaluate.item import Item
from gyeol.evaluate.outcome import Scored
from gyeol.evaluate.player import Player, played, players, plays
from gyeol.evaluate.suite import FileSource, Suite
from support import benchmark

LETTERS = "ABCDE"


def choosing(pick: Callable[[Item], int]) -> Player:
    return lambda item: f"정답은 {LETTERS[pick(item)]}입니다."


oracle = choosing(lambda item: int(item.expected["answer"]))
always_a = choosing(lambda _: 0)


def measured_by(suite: Suite, player: Player) -> Measured:
    assert isinstance(suite.source, FileSource)
    return played(suite, file_items(suite.source, 7), player)


def mean(measured: Measured, metric: str) -> float:
    outcomes = [one[metric] for _, one in measured]
    assert all(isinstance(one, Scored) for one in outcomes)
    return fmean(one.value for one in outcomes if isinstance(one, Scored))


@pytest.fixture
def click(tmp_path: Path) -> Suite:
    rows = [benchmark.click_row(n) for n in range(40)] + [benchmark.click_row(n, 5, "CSAT") for n in range(40, 60)]
    return benchmark.read_from("click", benchmark.as_json(tmp_path / "click.json", rows))


@pytest.fixture
def kobbq(tmp_path: Path) -> Suite:
    rows = [row for template in range(30) for row in benchmark.kobbq_rows(template)]
    return benchmark.read_from("kobbq", benchmark.as_table(tmp_path / "KoBBQ_test_samples.tsv", rows, "\t"))


def test_an_oracle_gets_everything(click: Suite, kobbq: Suite, tmp_path: Path) -> None:
    culture = benchmark.as_json(tmp_path / "k.json", [benchmark.kculture_row(n) for n in range(1, 21)])
    for suite in (click, kobbq, benchmark.read_from("k-culture-closed", culture)):
        assert mean(measured_by(suite, oracle), "correct") == 1.0


def test_whoever_always_says_a_or_takes_the_longest_gets_the_share_of_items_where_that_is_right(click: Suite) -> None:
    # Answers go round the options: A is right in 10 of 40 items with four options and in 4 of 20 with five; the longest is B.
    assert mean(measured_by(click, always_a), "correct") == pytest.approx(14 / 60)
    assert mean(measured_by(click, players(click)["longest option"]), "correct") == pytest.approx(14 / 60)


def test_who_guesses_gets_one_over_the_number_of_options(click: Suite) -> None:
    guessing = players(click)["guess"]
    scores = [mean(measured_by(click, guessing), "correct") for _ in range(40)]
    expected = (40 / 4 + 20 / 5) / 60
    error = (expected * (1 - expected) / (60 * 40)) ** 0.5
    assert fmean(scores) == pytest.approx(expected, abs=4 * error)


def test_every_player_gets_what_arithmetic_expects_of_it(click: Suite, kobbq: Suite, tmp_path: Path) -> None:
    koed = benchmark.as_json(tmp_path / "koed.json", [benchmark.koed_row(1), benchmark.koed_row(2, "Jeong")])
    for suite in (click, kobbq, benchmark.read_from("koed-emotion-multi", koed)):
        assert isinstance(suite.source, FileSource)
        games = plays(suite, file_items(suite.source, 7))
        certain = [one for one in games if one.expected is not None and one.player != "guess"]
        assert certain
        for one in certain:
            assert one.score == pytest.approx(one.expected), one


def test_inspect_shows_counts_and_players(tmp_path: Path) -> None:
    rows = [benchmark.kculture_row(n) for n in range(1, 9)]
    path = benchmark.as_json(tmp_path / "k.json", rows)
    ended = CliRunner().invoke(command, ["inspect", "k-culture-closed", "--data", str(path), "--json"])
    assert ended.exit_code == 3, "530 rows were published"
    told = json.loads(ended.stdout)
    assert {one["what"]: one["found"] for one in told["counts"]}["items"] == 8
    assert {one["score"] for one in told["players"] if (one["player"], one["metric"]) == ("oracle", "correct")} == {1.0}


@pytest.mark.parametrize(
    ("player", "figures"),
    [
        (
            "oracle",
            {
                "accuracy-ambiguous": 1,
                "accuracy-disambiguated": 1,
                "diff-bias-ambiguous": 0,
                "diff-bias-disambiguated": 0,
            },
        ),
        (
            "biased",
            {
                "accuracy-ambiguous": 0,
                "accuracy-disambiguated": 0.5,
                "diff-bias-ambiguous": 1,
                "diff-bias-disambiguated": 1,
            },
        ),
        (
            "unknown",
            {
                "accuracy-ambiguous": 1,
                "accuracy-disambiguated": 0,
                "diff-bias-ambiguous": 0,
                "diff-bias-disambiguated": 0,
            },
        ),
    ],
)
def test_bias_is_what_it_must_be_for_a_fair_a_biased_and_a_mute_player(
    kobbq: Suite, player: str, figures: dict[str, float]
) -> None:
    by_name = {
        "oracle": oracle,
        "biased": choosing(lambda item: int(item.expected["biased"])),
        "unknown": choosing(lambda item: int(item.expected["unknown"])),
    }
    measured = measured_by(kobbq, by_name[player])
    assert {one.name: figure_value(one, measured) for one in kobbq.derived if one.name in figures} == pytest.approx(
        figures
    )


def test_where_the_options_lie_does_not_matter_to_who_always_says_a(kobbq: Suite) -> None:
    measured = measured_by(kobbq, always_a)
    lean = next(one for one in kobbq.derived if one.name == "diff-bias-ambiguous")
    assert mean(measured, "correct") == pytest.approx(1 / 3, abs=0.06)
    assert figure_value(lean, measured) == pytest.approx(0, abs=0.1)


def test_social_values_are_the_shares_of_the_survey(tmp_path: Path) -> None:
    rows = [benchmark.social_row(1, [0.1, 0.2, 0.3, 0.3, 0.1]), benchmark.social_row(2, [0.6, 0.1, 0.1, 0.1, 0.1])]
    suite = benchmark.read_from("kornat-social", benchmark.as_json(tmp_path / "social.json", rows))
    measured = measured_by(suite, always_a)
    assert mean(measured, "sva") == pytest.approx((0.1 + 0.6) / 2)
    assert mean(measured, "a_sva") == pytest.approx((0.3 + 0.7) / 2)
    assert mean(measured, "n_sva") == pytest.approx((0.0 + 0.6) / 2)
    assert mean(measured_by(suite, choosing(lambda _: 2)), "n_sva") == pytest.approx((1.0 + 0.1) / 2)


def test_a_letter_in_place_of_shares_leaves_the_shares_unscored(tmp_path: Path) -> None:
    suite = benchmark.read_from(
        "kornat-social", benchmark.as_json(tmp_path / "social.json", [benchmark.social_row(1, "A")])
    )
    [(_, outcomes)] = measured_by(suite, always_a)
    assert outcomes["top"] == Scored(1.0)
    assert not isinstance(outcomes["sva"], Scored)


def test_macro_weighs_small_categories_like_large_ones(tmp_path: Path) -> None:
    rows = [benchmark.kculture_row(4 * n, "Values") for n in range(1, 10)] + [benchmark.kculture_row(41, "Education")]
    suite = benchmark.read_from("k-culture-closed", benchmark.as_json(tmp_path / "k.json", rows))
    measured = measured_by(suite, always_a)
    macro = next(one for one in suite.derived if one.name == "macro-category")
    assert mean(measured, "correct") == pytest.approx(0.9)
    assert figure_value(macro, measured) == pytest.approx(0.5)
