"""What can go wrong in the ledger.

InvalidError    FieldInvalidError       a field of a request or event cannot be used; names field, value and remedy
                PriceUnknownError       a call without a price while the run has a money budget
                NothingToSealError      the run has no triplet that may be sealed
NotFoundError   RunMissingError, TripletMissingError, RecordMissingError, ReservationMissingError, DatasetMissingError,
                NodeMissingError
ConflictError   RunConflictError        the same run id with another specification
                RunSealedError          a review after the dataset was sealed
                DatasetDamagedError     a sealed file that no longer matches its manifest
NotReadyError   StorageNotReadyError    the database is locked, full or away; what was asked was not stored
                ReviewPendingError      triplets wait for the review that the run asks for
ExhaustedError  BudgetExhaustedError    the run's budget does not allow the call
InternalError   StorageDamagedError     the database file holds something else, or only half of what it did
"""

from __future__ import annotations

from gyeol.chassis.errors import (
    ConflictError,
    ExhaustedError,
    InternalError,
    InvalidError,
    NotFoundError,
    NotReadyError,
)


class FieldInvalidError(InvalidError):
    def __init__(self, field: str, value: object, problem: str, remedy: str) -> None:
        super().__init__(f"{field}={_shown(value)}: {problem}. {remedy}")
        self.field = field


class PriceUnknownError(InvalidError):
    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"money='': the price of this call is unknown and run {run_id} has a money budget. "
            "Give the model a price in the models file, or remove data.budget.money from the run."
        )


class NothingToSealError(InvalidError):
    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"run_id={run_id!r}: the run has no accepted triplet to seal. "
            "Read the account's drops for the reason, then start a run with more candidates."
        )


class RunMissingError(NotFoundError):
    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"run_id={run_id!r}: no such run. Register it with CreateRun, or list the runs for the right id."
        )


class TripletMissingError(NotFoundError):
    def __init__(self, run_id: str, triplet_id: str) -> None:
        super().__init__(
            f"triplet_id={triplet_id!r}: run {run_id!r} has no such triplet. List its triplets for the right id."
        )


class RecordMissingError(NotFoundError):
    def __init__(self, run_id: str, record_id: str) -> None:
        super().__init__(
            f"record_id={record_id!r}: run {run_id!r} keeps no rejected text or evidence of such a record."
        )


class ReservationMissingError(NotFoundError):
    def __init__(self, run_id: str, reservation_id: str) -> None:
        super().__init__(
            f"reservation_id={reservation_id!r}: run {run_id!r} has no such reservation. Reserve before settling."
        )


class DatasetMissingError(NotFoundError):
    def __init__(self, place: str) -> None:
        super().__init__(
            f"{place}: no sealed dataset there (no manifest.json). Seal the run first, or correct the location."
        )


class NodeMissingError(NotFoundError):
    def __init__(self, node: str) -> None:
        super().__init__(
            f"node={node!r}: nothing is known by that name. "
            "Give a run id, a digest, a triplet id, a policy id such as ko-KR/G, or `law:<name> <article>`."
        )


class RunConflictError(ConflictError):
    def __init__(self, run_id: str, stored: str, given: str) -> None:
        super().__init__(
            f"id={run_id!r}: the run exists with another specification (stored {stored}, given {given}). "
            "Use a new id for a changed specification."
        )


class RunSealedError(ConflictError):
    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"run_id={run_id!r}: its dataset is sealed, so reviews are closed. "
            "Start a new run: finished work is not paid for again."
        )


class DatasetDamagedError(ConflictError):
    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}. Seal the run again at an empty place; do not train on this copy.")
        self.path = path


class StorageNotReadyError(NotReadyError):
    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"The ledger's storage is not ready: {problem}. {remedy}")


class StorageDamagedError(InternalError):
    def __init__(self, place: str) -> None:
        super().__init__(
            f"{place}: not a database, or a damaged one. "
            "Restore it from a copy, or move it away: an empty one is made in its place."
        )


class ReviewPendingError(NotReadyError):
    def __init__(self, run_id: str, count: int, rule: str) -> None:
        super().__init__(
            f"data.review={rule!r}: {count} triplet(s) of run {run_id} wait for review. "
            "Review them in the console, or start the run with data.review: None.",
            retry_after=30,
        )


class BudgetExhaustedError(ExhaustedError):
    def __init__(self, run_id: str, unit: str, asked: str, left: str, limit: str) -> None:
        super().__init__(
            f"data.budget.{unit}={limit!r} of run {run_id}: {asked} asked for, {left} left. "
            "Wait for open calls to settle, or start a run with a larger budget."
        )


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
