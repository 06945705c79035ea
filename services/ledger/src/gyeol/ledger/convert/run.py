"""Runs and their books as protos."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from google.protobuf.timestamp_pb2 import Timestamp

from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.ledger.domain.account import Tally
from gyeol.ledger.domain.budget import Amount, Limits, Spending, amount_of_money
from gyeol.ledger.domain.run import Run
from gyeol.ledger.service.run import Statement


def run_to_pb(run: Run) -> pb.Run:
    return pb.Run(
        id=run.id,
        name=run.name,
        spec_json=run.spec_json,
        spec_digest=run.spec_digest,
        status_json=run.status_json,
        created_at=moment_to_pb(run.created_at),
    )


def account_to_pb(statement: Statement) -> pb.Account:
    account, books = statement.account, statement.books
    return pb.Account(
        stages=[_stage_to_pb(name, tally) for name, tally in account.stages.items()],
        strata=[_stratum_to_pb(name, tally) for name, tally in account.strata.items()],
        drops=account.drops,
        calls=books.calls,
        cached_calls=books.cached_calls,
        balanced=account.balanced,
        money=_plain(books.spending.money_settled),
        tokens=books.spending.tokens_settled,
        triplets=account.total.results,
        benign_triplets=account.benign,
        inputs=account.total.inputs,
        failures=account.total.failures,
        gaps=account.gaps,
        budget=_budget_to_pb(books.limits, books.spending),
        awaiting_review=books.awaiting_review,
    )


def amount_from_pb(tokens: int, money: str) -> Amount:
    """Raises: FieldInvalidError."""
    return Amount(tokens, amount_of_money("money", money) if money else None)


def moment_to_pb(moment: datetime) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp


def _stage_to_pb(name: str, tally: Tally) -> pb.StageAccount:
    return pb.StageAccount(
        stage=name,
        inputs=tally.inputs,
        results=tally.results,
        drops=tally.drops,
        failures=tally.failures,
        pending=tally.pending,
    )


def _stratum_to_pb(name: str, tally: Tally) -> pb.StratumAccount:
    return pb.StratumAccount(
        stratum=name,
        inputs=tally.inputs,
        accepted=tally.results,
        drops=tally.drops,
        failures=tally.failures,
        pending=tally.pending,
    )


def _budget_to_pb(limits: Limits, spending: Spending) -> pb.Budget:
    return pb.Budget(
        money_limit="" if limits.money is None else _plain(limits.money),
        currency=limits.currency,
        token_limit=limits.tokens,
        money_reserved=_plain(spending.money_reserved),
        tokens_reserved=spending.tokens_reserved,
    )


def _plain(money: Decimal) -> str:
    """Without an exponent: `0.0000001`, not `1E-7`."""
    return f"{money:f}"
