from decimal import Decimal
from typing import Any

import grpc.aio
import pytest

from gyeol.api.ledger.v1.ledger_pb2 import ReserveBudgetResponse, SettleBudgetResponse
from gyeol.api.ledger.v1.ledger_pb2_grpc import BudgetServiceServicer, add_BudgetServiceServicer_to_server
from gyeol.chassis.chat import LedgerBudget
from gyeol.chassis.errors import ExhaustedError, Meaning
from gyeol.chassis.outcomes import meaning_of
from gyeol.chassis.rpc import Door, Server, channel


class Budgets(BudgetServiceServicer):
    """A ledger with room for so many tokens."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.seen: list[Any] = []

    async def ReserveBudget(self, request: Any, context: Any) -> ReserveBudgetResponse:  # noqa: N802
        self.seen.append(request)
        if request.tokens > self.tokens:
            raise ExhaustedError(f"run {request.run_id} has {self.tokens} tokens left")
        return ReserveBudgetResponse()

    async def SettleBudget(self, request: Any, context: Any) -> SettleBudgetResponse:  # noqa: N802
        self.seen.append(request)
        return SettleBudgetResponse()


async def test_a_budget_is_reserved_and_settled_in_the_ledger() -> None:
    budgets = Budgets(tokens=1000)
    server = Server("127.0.0.1", 0, [Door(add_BudgetServiceServicer_to_server, budgets)])
    opened = channel(f"127.0.0.1:{await server.start()}")
    budget = LedgerBudget(opened)
    await budget.reserve("run-1", "call-1", 500, Decimal("0.000000450"))
    await budget.settle("run-1", "call-1", 321, None)
    with pytest.raises(ExhaustedError, match="run run-1 has 1000 tokens left"):
        await budget.reserve("run-1", "call-2", 5000, None)
    await opened.close()
    await server.stop()
    reserved, settled, _ = budgets.seen
    assert (reserved.run_id, reserved.reservation_id, reserved.tokens, reserved.money) == (
        "run-1",
        "call-1",
        500,
        "0.000000450",
    )
    assert (settled.tokens, settled.money) == (321, "")


async def test_a_ledger_that_is_away_is_not_ready() -> None:
    opened = channel("127.0.0.1:1")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await LedgerBudget(opened).reserve("run-1", "call-1", 1, None)
    assert meaning_of(caught.value) is Meaning.NOT_READY
    await opened.close()
