"""`gyeol trace`: from a model to the statutes it rests on, and back; and the spans of one record."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Annotated, Any, Final

import grpc.aio
import typer
from google.protobuf.json_format import MessageToDict
from rich.text import Text
from rich.tree import Tree

from gyeol.api.ledger.v1.ledger_pb2 import VerifyDatasetRequest
from gyeol.api.ledger.v1.ledger_pb2_grpc import DatasetServiceStub
from gyeol.api.lineage.v1.lineage_pb2 import DIRECTION_EFFECTS, DIRECTION_ORIGINS, Node, TraceRequest
from gyeol.api.lineage.v1.lineage_pb2_grpc import LineageServiceStub
from gyeol.chassis.errors import Meaning
from gyeol.chassis.outcomes import meaning_of
from gyeol.chassis.rpc import channel
from gyeol.local import roster
from gyeol.local.errors import NothingThereError, StoppedError
from gyeol.local.home import Home
from gyeol.local.process import Identity
from gyeol.local.spans import spans_of
from gyeol.local.terminal import AsJson, console, emit, ends_cleanly, failures_told

_CHANGED: Final = frozenset({Meaning.CONFLICT, Meaning.NOT_FOUND})
"""What a ledger means that looked at a dataset and did not find it whole. Anything else says nothing about the dataset."""


class Towards(StrEnum):
    """Direction of the walk."""

    ORIGINS = "origins"
    """What it was made from."""
    EFFECTS = "effects"
    """What was made from it."""


def trace(
    node: Annotated[
        str | None, typer.Argument(help="Run, model, dataset, triplet, policy, or 'law:<name> <article>'. · 대상")
    ] = None,
    towards: Annotated[Towards, typer.Option(help="Which way. · 방향")] = Towards.ORIGINS,
    depth: Annotated[int, typer.Option(min=1, max=12, help="How far. · 깊이")] = 6,
    children: Annotated[int, typer.Option(min=1, max=500, help="Children shown of each node. · 항목 수")] = 20,
    spans: Annotated[
        str | None, typer.Option("--spans", help="Record id: show its spans of a run with --trace. · 기록의 추적")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lineage: model, triplets, policy, statute, and back. · 계보를 따라갑니다."""
    with failures_told(as_json=as_json), ends_cleanly():
        home = Home.found()
        if spans is not None:
            _show_spans(home, node, spans, as_json=as_json)
            return
        wanted = node or home.resolve(None).run_id
        request = TraceRequest(
            node=wanted,
            direction=DIRECTION_EFFECTS if towards is Towards.EFFECTS else DIRECTION_ORIGINS,
            max_depth=depth,
            max_children=children,
        )
        root = asyncio.run(_traced(home, request))
        if as_json:
            emit(MessageToDict(root, preserving_proto_field_name=True))
        else:
            console().print(_tree(root))


async def _traced(home: Home, request: TraceRequest) -> Node:
    async with _ledger(home) as opened:
        try:
            root = (await LineageServiceStub(opened).Trace(request)).root
        except grpc.aio.AioRpcError as error:
            if meaning_of(error) is Meaning.NOT_FOUND:
                raise NothingThereError(str(error.details())) from None
            raise StoppedError(str(error.details())) from None
        for location in sorted(_datasets(root)):
            await _verify(opened, location)
        return root


async def _verify(opened: grpc.aio.Channel, location: str) -> None:
    """A lineage over a dataset that was changed afterwards would be a lie."""
    try:
        await DatasetServiceStub(opened).VerifyDataset(VerifyDatasetRequest(location=location))
    except grpc.aio.AioRpcError as error:
        if meaning_of(error) in _CHANGED:
            raise StoppedError(f"the dataset at {location} is not what was sealed: {error.details()}") from None
        raise StoppedError(
            f"whether the dataset at {location} is what was sealed could not be found out: {error.details()}; "
            "give the same command again"
        ) from None


def _datasets(node: Node) -> set[str]:
    """Where the datasets of a lineage lie."""
    own = {node.facts.get("location") or node.title} if node.kind == "dataset" else set()
    return own.union(*(_datasets(child) for child in node.children))


@contextlib.asynccontextmanager
async def _ledger(home: Home) -> AsyncIterator[grpc.aio.Channel]:
    """The ledger that is up, or one started for this question."""
    from gyeol.local.fleet import Fleet
    from gyeol.local.lock import held
    from gyeol.local.service import Service, Surroundings

    known = roster.stored(home)
    if known is not None and known.alive().get("ledger"):
        async with channel(known.address("ledger")) as opened:
            yield opened
        return
    with held(home, "gyeol trace"):
        fleet = Fleet(Surroundings(home), [Service("ledger")])
        try:
            await fleet.up(owner=Identity.of(os.getpid()))
            async with channel(fleet.roster.address("ledger")) as opened:
                yield opened
        finally:
            fleet.down()


def named(node: Node) -> str:
    """The title, and the id by which `gyeol trace` finds the node again; once where they are the same."""
    return node.id if node.title in ("", node.id) else f"{node.title} [{node.id}]"


def _tree(node: Node, into: Tree | None = None) -> Tree:
    facts = "  ".join(f"{key}={value}" for key, value in sorted(node.facts.items()))
    label = Text.assemble((node.kind, "bold"), f" {named(node)}  ", (facts, "dim"))
    branch = into.add(label) if into is not None else Tree(label)
    for child in node.children:
        _tree(child, branch)
    if node.children_left_out:
        branch.add(f"[dim]{node.children_left_out} more · {node.children_left_out}개 더[/]")
    return branch


def _show_spans(home: Home, name: str | None, record: str, *, as_json: bool) -> None:
    folder = home.resolve(name)
    found: list[dict[str, Any]] = spans_of(folder.spans, record)
    if not found:
        raise NothingThereError(f"{folder.run_id} has no spans of record {record}; run it with --trace to write them")
    if as_json:
        emit(found)
        return
    out = console()
    for span in found:
        where = f"{span['service']}  {span['milliseconds']:.1f} ms"
        out.print(Text.assemble("  " * span["depth"], span["name"], "  ", (where, "dim")))
