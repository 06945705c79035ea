"""Judges records and responses: the place that puts the service together."""

from __future__ import annotations

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.judge.v1.judge_pb2_grpc import add_JudgeServiceServicer_to_server
from gyeol.chassis.bus import Consumer
from gyeol.chassis.chat import Chat, LedgerBudget
from gyeol.chassis.rpc import Door
from gyeol.chassis.run import Doors, Parts, serve
from gyeol.judge.bench import builtin
from gyeol.judge.consumer import JudgeConsumer
from gyeol.judge.endpoint import Benches
from gyeol.judge.law import PolicyLaw
from gyeol.judge.lexicon import criteria, lexicon, panel_criteria
from gyeol.judge.service import Judging, Thresholds
from gyeol.judge.servicer import JudgeServicer
from gyeol.judge.settings import Settings
from gyeol.judge.turn import Turns


async def compose(settings: Settings, parts: Parts) -> Doors:
    words = lexicon()
    chat = Chat(
        cache=await parts.bus.bucket("gyeol-calls"),
        budget=LedgerBudget(parts.channel(settings.ledger_address)),
        clock=parts.clock,
    )
    parts.stack.push_async_callback(chat.close)
    benches = Benches(
        builtin(words),
        chat,
        settings.models,
        panel_criteria(),
        reply_format=settings.reply_format,
        max_tokens=settings.reply_tokens,
    )
    judging = Judging(
        benches,
        PolicyLaw(parts.channel(settings.policy_address)),
        Turns(await parts.bus.bucket("gyeol-turns")),
        Thresholds(settings.least_harmfulness, settings.least_candidate),
    )
    servicer = JudgeServicer(judging, words.wordings, criteria(), parts.clock)
    events = {CandidatesWritten: JudgeConsumer(judging, parts.clock).candidates_written}
    return Doors(
        servicers=[Door(add_JudgeServiceServicer_to_server, servicer)],
        workers=[Consumer(parts.bus, durable=parts.name, events=events, slots=settings.slots)],
    )


if __name__ == "__main__":
    serve("judge", Settings, compose)
