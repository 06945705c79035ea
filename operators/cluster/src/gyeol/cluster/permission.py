"""What each NATS user may do: publish what its deployable makes, consume what it consumes, and nothing else.

Pure: from public keys to the `authorization` block of a server's configuration.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from google.protobuf.message import Message

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1.failure_pb2 import RecordDropped, RecordFailed
from gyeol.api.judge.v1.judge_pb2 import TripletAccepted
from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated, SeedsRequested
from gyeol.chassis.bus import subject_of
from gyeol.chassis.bus.stream import ADVISORY, DEAD, WORK

_STREAMS = (WORK, DEAD, ADVISORY)


@dataclass(frozen=True)
class Traffic:
    """What one deployable sends and receives."""

    makes: tuple[type[Message], ...] = ()
    """Events that it publishes."""
    consumes: Mapping[str, str] = field(default_factory=dict)
    """Durable by stream."""
    buckets: tuple[str, ...] = ()
    """Key-value buckets that it reads and writes."""
    further: tuple[str, ...] = ()
    """Subjects beside those."""

    def subjects(self, name: str) -> list[str]:
        """Every subject that it may publish to. Asking JetStream is publishing too."""
        found = [subject_of(event) for event in self.makes]
        if self.consumes:
            found.append(f"{subject_of(RecordFailed)}.{name}")
            # A stream that exists is not changed by this; whoever starts first, or after a broker lost its store, makes it.
            found += [f"$JS.API.STREAM.CREATE.{stream}" for stream in _STREAMS]
        for stream, durable in self.consumes.items():
            found += [
                f"$JS.API.CONSUMER.CREATE.{stream}.{durable}",
                f"$JS.API.CONSUMER.CREATE.{stream}.{durable}.>",
                f"$JS.API.CONSUMER.MSG.NEXT.{stream}.{durable}",
                f"$JS.API.CONSUMER.INFO.{stream}.{durable}",
                f"$JS.ACK.{stream}.{durable}.>",
            ]
        for bucket in self.buckets:
            found += [
                f"$JS.API.STREAM.CREATE.KV_{bucket}",
                f"$JS.API.STREAM.INFO.KV_{bucket}",
                f"$JS.API.DIRECT.GET.KV_{bucket}.>",
                f"$KV.{bucket}.>",
            ]
        return [*found, *self.further]


_LEDGER = (
    f"{subject_of(RecordFailed)}.*",  # it moves what the broker gave up on, of every stage
    *(f"$JS.API.STREAM.UPDATE.{stream}" for stream in _STREAMS),
    f"$JS.API.CONSUMER.LIST.{WORK}",
    f"$JS.API.STREAM.MSG.GET.{WORK}",
    f"$JS.API.STREAM.MSG.DELETE.{WORK}",
)

TRAFFIC: Mapping[str, Traffic] = {
    "seed": Traffic((SeedGenerated, RecordDropped, StageCompleted), {WORK: "seed"}, ("gyeol-calls",)),
    "policy": Traffic((PolicyRendered, StageCompleted), {WORK: "policy"}),
    "candidate": Traffic((CandidatesWritten, RecordDropped, StageCompleted), {WORK: "candidate"}, ("gyeol-calls",)),
    "judge": Traffic((TripletAccepted, RecordDropped, StageCompleted), {WORK: "judge"}, ("gyeol-calls", "gyeol-turns")),
    "ledger": Traffic((), {WORK: "ledger", DEAD: "ledger", ADVISORY: "mover"}, (), _LEDGER),
    "cluster": Traffic((SeedsRequested,)),
}
"""Every deployable with a NATS user."""


def users(keys: Mapping[str, str]) -> str:
    """The `authorization` block of a NATS server.

    Args:
      keys: Public nkey of each deployable in `TRAFFIC`.
    """
    blocks = [_user(name, keys[name], traffic) for name, traffic in sorted(TRAFFIC.items())]
    return "authorization {\n  users: [\n" + "".join(blocks) + "  ]\n}\n"


def _user(name: str, key: str, traffic: Traffic) -> str:
    publish = ",\n          ".join(json.dumps(subject) for subject in traffic.subjects(name))
    return (
        f"    # {name}\n    {{ nkey: {key}\n      permissions: {{\n"
        f"        publish: [\n          {publish}\n        ]\n"
        f'        subscribe: ["_INBOX_{name}.>"]\n      }} }}\n'
    )
