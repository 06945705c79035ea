"""Money and tokens are reserved before a call and settled after it."""

from __future__ import annotations

from decimal import Decimal
from typing import Protocol

import grpc.aio

from gyeol.api.ledger.v1.ledger_pb2 import ReserveBudgetRequest, SettleBudgetRequest
from gyeol.api.ledger.v1.ledger_pb2_grpc import BudgetServiceStub
from gyeol.chassis.errors import ExhaustedError


class Budget(Protocol):
    async def reserve(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        """Sets aside what a call may cost; money is None when the price is unknown.

        Raises:
          ExhaustedError: The budget does not allow it.
        """
        ...

    async def settle(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        """Replaces the reservation by what was really used."""
        ...


class LedgerBudget:
    """The budget that the ledger keeps."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = BudgetServiceStub(channel)

    async def reserve(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        request = ReserveBudgetRequest(
            run_id=run_id, reservation_id=reservation_id, tokens=tokens, money="" if money is None else f"{money:f}"
        )
        try:
            await self._stub.ReserveBudget(request, timeout=10)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED:
                raise ExhaustedError(error.details() or f"the budget of run {run_id} is used up") from None
            raise

    async def settle(self, run_id: str, reservation_id: str, tokens: int, money: Decimal | None) -> None:
        request = SettleBudgetRequest(
            run_id=run_id, reservation_id=reservation_id, tokens=tokens, money="" if money is None else f"{money:f}"
        )
        await self._stub.SettleBudget(request, timeout=10)
