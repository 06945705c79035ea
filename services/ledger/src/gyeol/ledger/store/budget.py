"""Budgets in tables. A run's budget row is locked while it changes, so two calls never spend the same money."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import select, update

from gyeol.ledger.domain.budget import Amount, Limits, Spending, reserved, settled
from gyeol.ledger.errors import ReservationMissingError, RunMissingError
from gyeol.ledger.store import schema
from gyeol.ledger.store.database import Database


class SqlBudgets:
    """The `BudgetRepository` of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reserve(self, run_id: str, reservation_id: str, amount: Amount) -> None:
        """Holds an amount; an open reservation of the same id already does. One that was settled belongs to an earlier call.

        Raises:
          RunMissingError, PriceUnknownError, BudgetExhaustedError: Nothing was held.
        """
        async with self._database.write() as connection:
            row = await _locked(connection, run_id)
            stored = await _reservation(connection, run_id, reservation_id)
            if stored is not None and not stored.settled:
                return
            spending = reserved(run_id, limits_from_row(row), spending_from_row(row), amount)
            values = {
                "run_id": run_id,
                "reservation_id": reservation_id,
                "tokens": amount.tokens,
                "money": None if amount.money is None else str(amount.money),
                "settled": False,
            }
            insert = self._database.insert(schema.reservation)
            await connection.execute(
                insert.on_conflict_do_update(
                    index_elements=["run_id", "reservation_id"],
                    set_={name: insert.excluded[name] for name in ("tokens", "money", "settled")},
                ),
                values,
            )
            await _store(connection, run_id, spending)

    async def settle(self, run_id: str, reservation_id: str, used: Amount) -> None:
        """Replaces what was held by what was used; a second time changes nothing.

        Raises:
          RunMissingError, ReservationMissingError: There is nothing to settle.
        """
        async with self._database.write() as connection:
            row = await _locked(connection, run_id)
            stored = await _reservation(connection, run_id, reservation_id)
            if stored is None:
                raise ReservationMissingError(run_id, reservation_id)
            if stored.settled:
                return
            held = Amount(stored.tokens, None if stored.money is None else Decimal(stored.money))
            table = schema.reservation.c
            await connection.execute(
                update(schema.reservation)
                .where(table.run_id == run_id, table.reservation_id == reservation_id)
                .values(settled=True)
            )
            await _store(connection, run_id, settled(spending_from_row(row), held, used))


async def _locked(connection: Any, run_id: str) -> Any:
    query = select(schema.budget).where(schema.budget.c.run_id == run_id).with_for_update()
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise RunMissingError(run_id)
    return row


async def _reservation(connection: Any, run_id: str, reservation_id: str) -> Any:
    table = schema.reservation.c
    query = select(schema.reservation).where(table.run_id == run_id, table.reservation_id == reservation_id)
    return (await connection.execute(query)).one_or_none()


async def _store(connection: Any, run_id: str, spending: Spending) -> None:
    await connection.execute(
        update(schema.budget).where(schema.budget.c.run_id == run_id).values(**_spending_columns(spending))
    )


def budget_row(run_id: str, limits: Limits, spending: Spending) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "money_limit": None if limits.money is None else str(limits.money),
        "token_limit": limits.tokens,
        "currency": limits.currency,
        **_spending_columns(spending),
    }


def _spending_columns(spending: Spending) -> dict[str, Any]:
    return {
        "money_reserved": str(spending.money_reserved),
        "money_settled": str(spending.money_settled),
        "tokens_reserved": spending.tokens_reserved,
        "tokens_settled": spending.tokens_settled,
    }


def limits_from_row(row: Any) -> Limits:
    money = None if row.money_limit is None else Decimal(row.money_limit)
    return Limits(money, row.token_limit, row.currency)


def spending_from_row(row: Any) -> Spending:
    return Spending(
        money_reserved=Decimal(row.money_reserved),
        money_settled=Decimal(row.money_settled),
        tokens_reserved=row.tokens_reserved,
        tokens_settled=row.tokens_settled,
    )
