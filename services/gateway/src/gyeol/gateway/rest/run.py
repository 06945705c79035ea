"""Runs, their books, what they made and how training went."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from gyeol.gateway.door import Held
from gyeol.gateway.view.run import Account, Artifact, MetricPoint, Run, RunPage

router = APIRouter(prefix="/runs", tags=["runs"])


@router.get("", summary="Runs, newest first")
async def list_runs(held: Held, size: Annotated[int, Query(ge=1, le=200)] = 50, page: str = "") -> RunPage:
    return await held.ledger.runs(size, page)


@router.get("/{run}", summary="One run with its specification and milestones")
async def get_run(held: Held, run: str) -> Run:
    return await held.ledger.run(run)


@router.get("/{run}/account", summary="The books: what came in, what came out, what is missing")
async def get_account(held: Held, run: str) -> Account:
    return await held.ledger.account(run)


@router.get("/{run}/artifacts", summary="Datasets, models, evaluations and verdicts of a run")
async def list_artifacts(held: Held, run: str, kind: str = "") -> tuple[Artifact, ...]:
    return await held.ledger.artifacts(run, kind)


@router.get("/{run}/metrics", summary="Training metrics by name")
async def list_metrics(held: Held, run: str, name: str = "") -> dict[str, tuple[MetricPoint, ...]]:
    return await held.ledger.curves(run, name)
