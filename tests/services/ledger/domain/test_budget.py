"""What fits a budget, to the last decimal."""

from __future__ import annotations

from decimal import Decimal

import pytest

from gyeol.ledger.domain.budget import Amount, Limits, Spending, limits_from_spec, reserved, settled
from gyeol.ledger.errors import BudgetExhaustedError, FieldInvalidError, PriceUnknownError

CENT = Decimal("0.01")


def test_money_is_counted_exactly() -> None:
    spending = Spending()
    for _ in range(10):
        spending = reserved("r", Limits(money=Decimal("0.1")), spending, Amount(1, CENT))
    assert spending.money_reserved == Decimal("0.10")
    with pytest.raises(BudgetExhaustedError, match=r"data\.budget\.money='0\.1' of run r: 0\.01 asked for, 0\.00 left"):
        reserved("r", Limits(money=Decimal("0.1")), spending, Amount(1, CENT))


def test_a_limit_of_zero_allows_only_what_is_free() -> None:
    nothing = Limits(money=Decimal(0))
    assert reserved("r", nothing, Spending(), Amount(10, Decimal(0))).tokens_reserved == 10
    with pytest.raises(BudgetExhaustedError):
        reserved("r", nothing, Spending(), Amount(10, Decimal("0.000001")))


def test_no_limit_allows_anything_and_still_counts_it() -> None:
    assert reserved("r", Limits(), Spending(), Amount(7, Decimal("99"))) == Spending(
        money_reserved=Decimal("99"), tokens_reserved=7
    )


def test_an_unknown_price_is_refused_while_money_is_limited() -> None:
    with pytest.raises(PriceUnknownError, match="Give the model a price in the models file"):
        reserved("r", Limits(money=Decimal("5")), Spending(), Amount(1, None))
    assert reserved("r", Limits(tokens=5), Spending(), Amount(1, None)).tokens_reserved == 1


def test_tokens_are_limited_too() -> None:
    with pytest.raises(BudgetExhaustedError, match=r"data\.budget\.tokens='10' of run r: 4 asked for, 3 left"):
        reserved("r", Limits(tokens=10), Spending(tokens_settled=5, tokens_reserved=2), Amount(4, None))


def test_settling_replaces_what_was_held_by_what_was_used() -> None:
    held, used = Amount(100, Decimal("1")), Amount(130, Decimal("1.3"))
    before = Spending(money_reserved=Decimal("3"), tokens_reserved=300)
    assert settled(before, held, used) == Spending(Decimal("2"), Decimal("1.3"), 200, 130)


def test_what_was_spent_above_the_limit_leaves_nothing() -> None:
    over = Spending(money_settled=Decimal("6"))
    with pytest.raises(BudgetExhaustedError, match="0 left"):
        reserved("r", Limits(money=Decimal("5")), over, Amount(1, CENT))


def test_the_budget_of_a_specification() -> None:
    spec = {"data": {"budget": {"money": "12.50", "currency": "USD", "tokens": 5_000_000}}}
    assert limits_from_spec(spec) == Limits(Decimal("12.50"), 5_000_000, "USD")
    assert limits_from_spec({}) == limits_from_spec({"data": {}}) == Limits()


@pytest.mark.parametrize("money", ["-1", "NaN", "Infinity", "ten", "1,5"])
def test_money_that_is_no_amount_is_refused(money: str) -> None:
    with pytest.raises(FieldInvalidError, match=r"data\.budget\.money"):
        limits_from_spec({"data": {"budget": {"money": money}}})


@pytest.mark.parametrize("tokens", [-1, 1.5, "many", True])
def test_tokens_that_are_no_number_are_refused(tokens: object) -> None:
    with pytest.raises(FieldInvalidError, match=r"data\.budget\.tokens"):
        limits_from_spec({"data": {"budget": {"tokens": tokens}}})
