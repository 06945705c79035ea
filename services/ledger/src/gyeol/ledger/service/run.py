"""Runs: registered once, looked at often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from gyeol.chassis.clock import Clock
from gyeol.ledger.domain.account import Account, Books, account
from gyeol.ledger.domain.budget import Limits, limits_from_spec
from gyeol.ledger.domain.page import Page, token_after
from gyeol.ledger.domain.run import Run, named, parsed, specification
from gyeol.ledger.errors import RunConflictError, RunMissingError


class RunRepository(Protocol):
    async def add(self, run: Run, limits: Limits) -> Run: ...

    async def get(self, run_id: str) -> Run | None: ...

    async def newest(self, page: Page) -> list[Run]:
        """Newest first, one more than the page holds when there are more."""
        ...

    async def set_status(self, run_id: str, status_json: str) -> bool: ...

    async def books(self, run_id: str, *, awaited: str) -> Books:
        """What is stored about a run; `awaited`: which triplets a person has to review."""
        ...


@dataclass(frozen=True, slots=True)
class Statement:
    """The books of a run and what they add up to."""

    account: Account
    books: Books


class Runs:
    """The use cases of runs."""

    def __init__(self, repository: RunRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def create(self, run_id: str, name: str, spec_json: str) -> Run:
        """Registers a run; the same id with the same specification returns the run that exists.

        Raises:
          FieldInvalidError: The id, the name or the specification cannot be used.
          RunConflictError: The id belongs to a run with another specification.
        """
        canonical, digest, spec = specification(spec_json)
        run = Run(named("id", run_id), named("name", name), canonical, digest, "{}", self._clock.now())
        stored = await self._repository.add(run, limits_from_spec(spec))
        if stored.spec_digest != digest:
            raise RunConflictError(run_id, stored.spec_digest, digest)
        return stored

    async def get(self, run_id: str) -> Run:
        """Raises: RunMissingError."""
        run = await self._repository.get(run_id)
        if run is None:
            raise RunMissingError(run_id)
        return run

    async def newest(self, page: Page) -> tuple[list[Run], str]:
        """A page of runs, newest first, and the token of the next page."""
        runs = await self._repository.newest(page)
        if len(runs) <= page.size:
            return runs, ""
        last = runs[page.size - 1]
        return runs[: page.size], token_after(last.created_at.isoformat(), last.id)

    async def set_status(self, run_id: str, status_json: str) -> None:
        """Stores the hand's view of a run.

        Raises:
          FieldInvalidError: It is no JSON object.
          RunMissingError: There is no such run.
        """
        parsed("status_json", status_json)
        if not await self._repository.set_status(run_id, status_json):
            raise RunMissingError(run_id)

    async def statement(self, run_id: str) -> Statement:
        """The books of a run. Raises: RunMissingError."""
        run = await self.get(run_id)
        books = await self._repository.books(run_id, awaited=run.review)
        return Statement(account(books.groups, books.drops), books)
