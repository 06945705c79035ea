"""The streams and the settings of consumers, as the broker should have them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nats.js.api import (
    AckPolicy,
    ConsumerConfig,
    DiscardPolicy,
    RetentionPolicy,
    StorageType,
    StreamConfig,
)

WORK: Final = "GYEOL_WORK"
DEAD: Final = "GYEOL_DEAD"
ADVISORY: Final = "GYEOL_ADVISORY"

_DAY: Final = 86_400.0
_NOUNS: Final = ("seed", "policy", "candidate", "triplet", "record", "stage")

ACK_WAIT: Final = 30.0
"""Seconds without a sign of life after which a message is given to somebody else."""
MAX_DELIVER: Final = 100
"""Deliveries after which the broker gives up; consumers give up earlier and say why. It ends crash loops."""


def stream_of(subject: str) -> str:
    """The stream that stores a subject."""
    return DEAD if subject.startswith("gyeol.dead") else WORK


def streams(replicas: int = 1) -> tuple[StreamConfig, ...]:
    """Work waits in a queue until it is acknowledged; dead letters and what the broker says of them are kept."""
    return (
        StreamConfig(
            name=WORK,
            description="Records on their way, one message per record and stage.",
            subjects=[f"gyeol.{noun}.>" for noun in _NOUNS],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            discard=DiscardPolicy.NEW,
            max_msgs=1_000_000,
            duplicate_window=120,
            num_replicas=replicas,
        ),
        StreamConfig(
            name=DEAD,
            description="Records that could not be carried through, with their payload.",
            subjects=["gyeol.dead.>"],
            retention=RetentionPolicy.LIMITS,
            storage=StorageType.FILE,
            max_age=30 * _DAY,
            duplicate_window=120,
            num_replicas=replicas,
        ),
        StreamConfig(
            name=ADVISORY,
            description="The broker's notes that a message was delivered too often.",
            subjects=[f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{WORK}.*"],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            max_age=7 * _DAY,
            num_replicas=replicas,
        ),
    )


def consumer(
    durable: str, filters: Sequence[str], *, ack_wait: float = ACK_WAIT, max_deliver: int = MAX_DELIVER
) -> ConsumerConfig:
    """A durable pull consumer of one service, shared by its replicas."""
    return ConsumerConfig(
        name=durable,
        durable_name=durable,
        filter_subjects=sorted(filters),
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ack_wait,
        max_deliver=max_deliver,
        max_ack_pending=10_000,
    )
