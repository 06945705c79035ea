"""Money and tokens: reserved before a call, settled after it."""

from __future__ import annotations

from typing import Protocol

from gyeol.ledger.domain.budget import Amount
from gyeol.ledger.errors import FieldInvalidError


class BudgetRepository(Protocol):
    async def reserve(self, run_id: str, reservation_id: str, amount: Amount) -> None: ...

    async def settle(self, run_id: str, reservation_id: str, used: Amount) -> None: ...


class Budgets:
    """The use cases of budgets; both are atomic and idempotent by reservation id."""

    def __init__(self, repository: BudgetRepository) -> None:
        self._repository = repository

    async def reserve(self, run_id: str, reservation_id: str, amount: Amount) -> None:
        """Raises: RunMissingError, PriceUnknownError, BudgetExhaustedError, FieldInvalidError."""
        await self._repository.reserve(run_id, _id(reservation_id), amount)

    async def settle(self, run_id: str, reservation_id: str, used: Amount) -> None:
        """Raises: RunMissingError, ReservationMissingError, FieldInvalidError."""
        await self._repository.settle(run_id, _id(reservation_id), used)


def _id(reservation_id: str) -> str:
    if not reservation_id or len(reservation_id) > 300:
        raise FieldInvalidError(
            "reservation_id", reservation_id, "not a usable id", "Send 1 to 300 characters that name the call."
        )
    return reservation_id
