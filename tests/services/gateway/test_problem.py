"""Every meaning has one status, and what a service said about field, value and remedy arrives."""

from __future__ import annotations

import grpc
import grpc.aio
import pytest

from gyeol.chassis import errors
from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.gateway.problem import TABLE, problem_of

STATUSES = {
    Meaning.INVALID: 400,
    Meaning.DENIED: 403,
    Meaning.NOT_FOUND: 404,
    Meaning.CONFLICT: 409,
    Meaning.NOT_READY: 503,
    Meaning.EXHAUSTED: 429,
    Meaning.INTERNAL: 500,
}


def test_every_meaning_has_a_status() -> None:
    assert {meaning: status for meaning, (status, _) in TABLE.items()} == STATUSES


@pytest.mark.parametrize(("meaning", "status"), STATUSES.items(), ids=[meaning.value for meaning in STATUSES])
def test_an_error_becomes_its_status(meaning: Meaning, status: int) -> None:
    kind = next(
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, GyeolError)
        and kind is not GyeolError
        and kind.meaning is meaning
    )
    problem = problem_of(kind("node='x': nothing is known by that name. Give a run id."))
    assert (problem.status, problem.meaning) == (status, meaning.value)
    assert (problem.field, problem.value, problem.remedy) == ("node", "x", "Give a run id.")


def _from_peer(code: grpc.StatusCode, details: str) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details)


def test_what_a_peer_said_goes_through() -> None:
    problem = problem_of(
        _from_peer(grpc.StatusCode.INVALID_ARGUMENT, "data.budget.money='x': not an amount. Give a decimal.")
    )
    assert (problem.status, problem.field, problem.value) == (400, "data.budget.money", "x")


def test_what_went_wrong_inside_stays_inside() -> None:
    for error in (
        _from_peer(grpc.StatusCode.INTERNAL, "KeyError in /gyeol/secret"),
        _from_peer(grpc.StatusCode.UNKNOWN, "secret"),
        RuntimeError("secret"),
    ):
        problem = problem_of(error)
        assert problem.status == 500
        assert "secret" not in problem.detail


def test_a_limit_says_when_to_come_back() -> None:
    problem = problem_of(errors.ExhaustedError("More than 5.", retry_after=12.4))
    assert problem.headers == {"Retry-After": "12"}
