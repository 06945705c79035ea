"""Lineage, the law, culture packs, and who is there."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from gyeol.gateway.door import Caller, Held
from gyeol.gateway.errors import FieldError
from gyeol.gateway.view.lineage import Health, LawQuestion, LawReport, Node, Pack, Person

router = APIRouter()

_LONGEST = 20_000


@router.get("/lineage", tags=["lineage"], summary="What something was made from, or what was made from it")
async def get_lineage(
    held: Held,
    node: Annotated[
        str, Query(min_length=1, description="A run, digest, triplet id, policy id, or `law:<name> <article>`.")
    ],
    direction: Literal["origins", "effects"] = "origins",
    depth: Annotated[int, Query(ge=1, le=20)] = 6,
    children: Annotated[int, Query(ge=1, le=500)] = 50,
) -> Node:
    return await held.ledger.trace(node, direction, depth, children)


@router.post("/law/check", tags=["law"], summary="Check every statute and institution that a text names")
async def check_law(held: Held, question: LawQuestion) -> LawReport:
    if len(question.text) > _LONGEST:
        raise FieldError("text", question.text, "too long", f"Send at most {_LONGEST} characters.")
    return await held.policy.check(question.text, question.on, question.culture or held.cultures[0])


@router.get("/packs", tags=["packs"], summary="Culture packs")
async def list_packs(held: Held) -> tuple[Pack, ...]:
    return tuple([await held.policy.pack(culture) for culture in held.cultures])


@router.get("/packs/{culture}", tags=["packs"], summary="One culture pack with its taxonomy")
async def get_pack(held: Held, culture: str) -> Pack:
    return await held.policy.pack(culture)


@router.get("/health", tags=["health"], summary="Whether the services behind the gateway answer")
async def get_health(held: Held) -> Health:
    return await held.peers.health()


@router.get("/caller", tags=["health"], summary="Who you are here")
async def get_caller(caller: Caller) -> Person:
    return Person(name=caller.name, role=caller.role.word)
