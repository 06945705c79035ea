"""Triplets, drops and what people decide about them."""

from __future__ import annotations

from typing import Protocol

from gyeol.chassis.clock import Clock
from gyeol.ledger.domain.page import Page, token_after
from gyeol.ledger.domain.triplet import (
    Access,
    DropFilter,
    Loss,
    RejectedText,
    Review,
    StoredTriplet,
    TripletFilter,
)
from gyeol.ledger.errors import FieldInvalidError, RecordMissingError, TripletMissingError

_LONGEST_COMMENT = 2000


class RecordRepository(Protocol):
    async def triplets(self, run_id: str, wanted: TripletFilter, page: Page) -> tuple[list[StoredTriplet], int]: ...

    async def triplet(self, run_id: str, triplet_id: str) -> StoredTriplet | None: ...

    async def losses(self, run_id: str, wanted: DropFilter, page: Page) -> list[Loss]: ...

    async def review(
        self, run_id: str, triplet_id: str, review: Review | None, access: Access
    ) -> StoredTriplet | None: ...

    async def history(self, run_id: str, record_id: str) -> list[Access]: ...

    async def accesses(self, run_id: str, page: Page) -> list[Access]: ...

    async def reveal(self, run_id: str, record_id: str, access: Access) -> list[RejectedText]: ...


class Records:
    """The use cases of records."""

    def __init__(self, repository: RecordRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def triplets(self, run_id: str, wanted: TripletFilter, page: Page) -> tuple[list[StoredTriplet], str, int]:
        """A page of triplets, the token of the next page and the number of all that match."""
        rows, total = await self._repository.triplets(run_id, wanted, page)
        if len(rows) <= page.size:
            return rows, "", total
        last = rows[page.size - 1]
        return rows[: page.size], token_after(last.triplet_id, last.record_id), total

    async def triplet(self, run_id: str, triplet_id: str) -> tuple[StoredTriplet, list[Access]]:
        """A triplet without its rejected text, and what people did with it. Raises: TripletMissingError."""
        stored = await self._repository.triplet(run_id, triplet_id)
        if stored is None:
            raise TripletMissingError(run_id, triplet_id)
        return stored, await self._repository.history(run_id, stored.record_id)

    async def losses(self, run_id: str, wanted: DropFilter, page: Page) -> tuple[list[Loss], str]:
        """A page of drops and failures that still stand, newest first, and the token of the next page."""
        rows = await self._repository.losses(run_id, wanted, page)
        token = ""
        if len(rows) > page.size:
            rows = rows[: page.size]
            last = rows[-1]
            token = token_after(last.at.isoformat(), last.record_id, last.stage, last.origin)
        return [loss for loss in rows if loss.stands], token

    async def accesses(self, run_id: str, page: Page) -> tuple[list[Access], str]:
        """A page of what people did in a run, newest first, and the token of the next page."""
        rows = await self._repository.accesses(run_id, page)
        if len(rows) <= page.size:
            return rows, ""
        return rows[: page.size], token_after(str(rows[page.size - 1].number))

    async def review(
        self, run_id: str, triplet_id: str, review: Review | None, reviewer: str, comment: str
    ) -> StoredTriplet:
        """Approves, rejects or reopens a triplet; without a review it only notes the comment.

        Raises:
          FieldInvalidError: There is no reviewer, nothing to say, or too much.
          TripletMissingError: There is no such triplet.
          RunSealedError: The run's dataset is fixed.
        """
        person = _person("reviewer", reviewer)
        if len(comment) > _LONGEST_COMMENT:
            raise FieldInvalidError("comment", comment, "too long", f"Use at most {_LONGEST_COMMENT} characters.")
        if review is None and not comment.strip():
            raise FieldInvalidError("review", "", "neither a review nor a comment", "Send one of them.")
        access = Access(review.value if review else "comment", person, comment, self._clock.now())
        stored = await self._repository.review(run_id, triplet_id, review, access)
        if stored is None:
            raise TripletMissingError(run_id, triplet_id)
        return stored

    async def reveal(self, run_id: str, record_id: str, reader: str) -> RejectedText:
        """The rejected text or evidence of a record; the reading is written down first.

        Raises:
          FieldInvalidError: There is no reader.
          RecordMissingError: Nothing of the kind is stored.
        """
        access = Access("revealed", _person("reader", reader), "", self._clock.now())
        texts = await self._repository.reveal(run_id, record_id, access)
        if not texts:
            raise RecordMissingError(run_id, record_id)
        return texts[0]


def _person(field: str, name: str) -> str:
    if not name.strip() or len(name) > 200:
        raise FieldInvalidError(field, name, "not a name", "Send who is doing this, in at most 200 characters.")
    return name
