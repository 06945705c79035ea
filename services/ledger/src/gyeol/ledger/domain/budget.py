"""What a run may spend and whether a call still fits. Money is `Decimal`; a float never touches it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from gyeol.ledger.errors import BudgetExhaustedError, FieldInvalidError, PriceUnknownError


@dataclass(frozen=True, slots=True)
class Limits:
    """No limit is not a limit of zero: `money` of 0 allows only calls that are known to be free."""

    money: Decimal | None = None
    tokens: int | None = None
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Spending:
    money_reserved: Decimal = Decimal(0)
    money_settled: Decimal = Decimal(0)
    tokens_reserved: int = 0
    tokens_settled: int = 0


@dataclass(frozen=True, slots=True)
class Amount:
    tokens: int
    money: Decimal | None
    """None: the price is unknown."""


def limits_from_spec(spec: Mapping[str, object]) -> Limits:
    """The budget at `data.budget` of a run's specification.

    Raises:
      FieldInvalidError: A limit is not a number, or negative.
    """
    data = spec.get("data")
    budget = data.get("budget") if isinstance(data, Mapping) else None
    if not isinstance(budget, Mapping):
        return Limits()
    money, tokens = budget.get("money"), budget.get("tokens")
    if tokens is not None and (isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0):
        raise FieldInvalidError("data.budget.tokens", tokens, "not a whole number of tokens", "Give 0 or more.")
    return Limits(
        money=None if money is None or money == "" else amount_of_money("data.budget.money", str(money)),
        tokens=tokens,
        currency=str(budget.get("currency") or ""),
    )


def amount_of_money(field: str, text: str) -> Decimal:
    """Reads a decimal string.

    Raises:
      FieldInvalidError: It is not a finite number of 0 or more.
    """
    try:
        money = Decimal(text)
    except InvalidOperation:
        money = Decimal("NaN")
    if not money.is_finite() or money < 0:
        raise FieldInvalidError(field, text, "not an amount of money", "Give a decimal string such as '0.25'.")
    return money


def reserved(run_id: str, limits: Limits, spending: Spending, amount: Amount) -> Spending:
    """The spending after a reservation.

    Raises:
      PriceUnknownError: The run counts money and the call's price is unknown.
      BudgetExhaustedError: What is spent and held leaves too little.
    """
    if limits.money is not None:
        if amount.money is None:
            raise PriceUnknownError(run_id)
        left = limits.money - spending.money_settled - spending.money_reserved
        if amount.money > max(left, Decimal(0)):
            raise BudgetExhaustedError(
                run_id, "money", str(amount.money), str(max(left, Decimal(0))), str(limits.money)
            )
    if limits.tokens is not None:
        tokens_left = max(limits.tokens - spending.tokens_settled - spending.tokens_reserved, 0)
        if amount.tokens > tokens_left:
            raise BudgetExhaustedError(run_id, "tokens", str(amount.tokens), str(tokens_left), str(limits.tokens))
    return replace(
        spending,
        money_reserved=spending.money_reserved + (amount.money or 0),
        tokens_reserved=spending.tokens_reserved + amount.tokens,
    )


def settled(spending: Spending, held: Amount, used: Amount) -> Spending:
    """The spending after a reservation was settled. What was really used counts, even above what was held."""
    return Spending(
        money_reserved=spending.money_reserved - (held.money or 0),
        money_settled=spending.money_settled + (used.money or 0),
        tokens_reserved=spending.tokens_reserved - held.tokens,
        tokens_settled=spending.tokens_settled + used.tokens,
    )
