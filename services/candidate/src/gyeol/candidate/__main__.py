"""Mines prompts and writes candidates: the place that puts the service together."""

from __future__ import annotations

from gyeol.api.candidate.v1.candidate_pb2_grpc import add_CandidateServiceServicer_to_server
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.candidate.consumer import CandidateConsumer
from gyeol.candidate.desk import Desk
from gyeol.candidate.judge import JudgePanels
from gyeol.candidate.mining import Bar
from gyeol.candidate.model import Lines
from gyeol.candidate.phrase import refusals, turn
from gyeol.candidate.service import Writing
from gyeol.candidate.servicer import CandidateServicer
from gyeol.candidate.settings import Settings
from gyeol.candidate.writer import Desks
from gyeol.chassis.bus import Consumer
from gyeol.chassis.chat import Chat, LedgerBudget
from gyeol.chassis.rpc import Door
from gyeol.chassis.run import Doors, Parts, serve


async def compose(settings: Settings, parts: Parts) -> Doors:
    chat = Chat(
        cache=await parts.bus.bucket("gyeol-calls"),
        budget=LedgerBudget(parts.channel(settings.ledger_address)),
        clock=parts.clock,
    )
    parts.stack.push_async_callback(chat.close)
    desk = Desk(
        Writing(refusals(), Bar(settings.least_compliance, settings.attempts, settings.plain)),
        Lines(
            chat,
            settings.models,
            target_tokens=settings.target_tokens,
            target_seconds=settings.target_seconds,
            target_concurrency=settings.target_concurrency,
        ),
        Desks(turn(), chat, settings.models, max_tokens=settings.writer_tokens),
        JudgePanels(parts.channel(settings.judge_address), timeout=settings.judge_seconds),
        parts.clock,
        attacker=settings.attacker,
    )
    events = {PolicyRendered: CandidateConsumer(desk).policy_rendered}
    return Doors(
        servicers=[Door(add_CandidateServiceServicer_to_server, CandidateServicer(desk))],
        workers=[Consumer(parts.bus, durable=parts.name, events=events, slots=settings.slots)],
    )


if __name__ == "__main__":
    serve("candidate", Settings, compose)
