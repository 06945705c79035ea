import grpc
import grpc.aio
import pytest

from gyeol.chassis import errors
from gyeol.chassis.errors import Meaning
from gyeol.chassis.outcomes import BAD_INPUT, TABLE, Ack, DeadLetter, Nak, exit_status, meaning_of, told

ROWS = {
    Meaning.INVALID: (errors.InvalidError, grpc.StatusCode.INVALID_ARGUMENT, DeadLetter),
    Meaning.DENIED: (errors.DeniedError, grpc.StatusCode.PERMISSION_DENIED, DeadLetter),
    Meaning.NOT_FOUND: (errors.NotFoundError, grpc.StatusCode.NOT_FOUND, DeadLetter),
    Meaning.CONFLICT: (errors.ConflictError, grpc.StatusCode.ABORTED, Ack),
    Meaning.NOT_READY: (errors.NotReadyError, grpc.StatusCode.UNAVAILABLE, Nak),
    Meaning.EXHAUSTED: (errors.ExhaustedError, grpc.StatusCode.RESOURCE_EXHAUSTED, Nak),
    Meaning.INTERNAL: (errors.InternalError, grpc.StatusCode.INTERNAL, Nak),
}


def rpc_error(code: grpc.StatusCode) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), details="no")


def test_every_meaning_has_a_row() -> None:
    assert set(TABLE) == set(Meaning) == set(ROWS)


@pytest.mark.parametrize("meaning", Meaning)
def test_a_row_gives_an_error_its_status_and_disposition(meaning: Meaning) -> None:
    error, status, disposition = ROWS[meaning]
    assert meaning_of(error("why")) is meaning
    assert TABLE[meaning].status is status
    assert isinstance(TABLE[meaning].disposition, disposition)


@pytest.mark.parametrize("meaning", Meaning)
def test_only_what_a_person_has_to_mend_ends_a_process_as_bad_input(meaning: Meaning) -> None:
    error, _, _ = ROWS[meaning]
    assert (exit_status(error("why")) == BAD_INPUT) == (meaning in (Meaning.INVALID, Meaning.NOT_FOUND))
    assert exit_status(ValueError("a fault of ours")) == 1


@pytest.mark.parametrize("meaning", Meaning)
def test_a_meaning_survives_the_wire(meaning: Meaning) -> None:
    assert meaning_of(rpc_error(TABLE[meaning].status)) is meaning


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (rpc_error(grpc.StatusCode.DEADLINE_EXCEEDED), Meaning.NOT_READY),
        (rpc_error(grpc.StatusCode.UNKNOWN), Meaning.INTERNAL),
        (rpc_error(grpc.StatusCode.UNAUTHENTICATED), Meaning.DENIED),
        (TimeoutError(), Meaning.NOT_READY),
        (TimeoutError(), Meaning.NOT_READY),
        (ConnectionRefusedError(), Meaning.NOT_READY),
        (KeyError("x"), Meaning.INTERNAL),
    ],
)
def test_foreign_errors_have_a_meaning(error: Exception, meaning: Meaning) -> None:
    assert meaning_of(error) is meaning


def seconds_until_dead(meaning: Meaning) -> float:
    nak = TABLE[meaning].disposition
    assert isinstance(nak, Nak)
    return sum(nak.delay(failures) for failures in range(1, nak.attempts))


def test_a_record_outlives_an_endpoint_that_is_down_for_half_an_hour() -> None:
    assert seconds_until_dead(Meaning.NOT_READY) > 30 * 60


def test_a_record_outlives_a_budget_that_is_reserved_for_five_minutes_but_does_not_hang_for_ever() -> None:
    assert 5 * 60 < seconds_until_dead(Meaning.EXHAUSTED) < 20 * 60


def test_a_fault_of_ours_fails_within_a_minute() -> None:
    assert seconds_until_dead(Meaning.INTERNAL) < 60


def test_delays_never_exceed_their_ceiling() -> None:
    assert Nak(first=2, ceiling=60, attempts=5000).delay(4000) == 60


def test_what_a_library_says_is_not_told_because_it_may_quote_a_record() -> None:
    assert told(ValueError("harmful text")) == "ValueError"
    assert told(errors.InvalidError("field x: say why")) == "field x: say why"
    assert told(rpc_error(grpc.StatusCode.NOT_FOUND)) == "a peer answered NOT_FOUND: no"
