"""Sealed datasets: download and verification."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from fastapi import APIRouter, Depends
from starlette.responses import StreamingResponse

from gyeol.gateway.archive import zipped
from gyeol.gateway.auth.principal import Role
from gyeol.gateway.door import Gateway, Held, Reviewer, needs
from gyeol.gateway.view.run import Verified

router = APIRouter(tags=["datasets"])

Format = Literal["parquet", "jsonl"]


@router.get(
    "/runs/{run}/dataset/export",
    summary="Download a sealed dataset; the reading is written down (reviewer)",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "`parquet`: a ZIP in the Hugging Face layout. `jsonl`: one row a line.",
            "content": {"application/zip": {}, "application/x-ndjson": {}},
        }
    },
)
async def export_dataset(held: Held, caller: Reviewer, run: str, format: Format = "parquet") -> StreamingResponse:  # noqa: A002
    return await exported(held, run, format, caller.name)


@router.get(
    "/datasets/verification",
    summary="Recompute every hash of a sealed dataset (operator)",
    dependencies=[Depends(needs(Role.OPERATOR))],
)
async def verify_dataset(held: Held, location: str) -> Verified:
    return Verified(digest=await held.ledger.verified(location))


async def exported(held: Gateway, run: str, format_: Format, reader: str) -> StreamingResponse:
    """A sealed dataset as a download. It begins only once the ledger has given its first bytes."""
    parts = held.ledger.export(run, format_, reader)
    first = await anext(parts)
    if format_ == "jsonl":
        body, kind, name = _contents(first, parts), "application/x-ndjson", f"{run}.jsonl"
    else:
        body, kind, name = zipped(_chained(first, parts)), "application/zip", f"{run}.zip"
    return StreamingResponse(body, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


async def _chained(
    first: tuple[str, bytes], rest: AsyncIterator[tuple[str, bytes]]
) -> AsyncIterator[tuple[str, bytes]]:
    yield first
    async for part in rest:
        yield part


async def _contents(first: tuple[str, bytes], rest: AsyncIterator[tuple[str, bytes]]) -> AsyncIterator[bytes]:
    async for _, chunk in _chained(first, rest):
        yield chunk
