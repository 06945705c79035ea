"""Who pays for a call."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

from gyeol.candidate.model import Lines
from gyeol.chassis.chat import Chat


def test_a_model_that_the_run_serves_itself_costs_nothing_so_a_money_budget_lets_it_through() -> None:
    lines = Lines(Chat(), Path("unused"), target_tokens=8, target_seconds=1, target_concurrency=1)
    endpoint = lines.at("base", "http://127.0.0.1:1/v1", "base", "sha256:aa")
    assert endpoint.price is not None
    assert endpoint.price.cost(1000, 1000) == Decimal(0)
