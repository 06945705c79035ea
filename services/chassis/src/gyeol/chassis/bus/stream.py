"""The streams and the settings of consumers, as the broker should have them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from nats.js.api import AckPolicy, ConsumerConfig, DiscardPolicy, RetentionPolicy, StorageType, StreamConfig

from gyeol.chassis.bus.subject import PREFIX
from gyeol.chassis.errors import InvalidError

WORK: Final = "GYEOL_WORK"
DEAD: Final = "GYEOL_DEAD"
ADVISORY: Final = "GYEOL_ADVISORY"

ACK_WAIT: Final = 30.0
"""Seconds without a sign of life after which a message is given to somebody else."""
MAX_DELIVER: Final = 100
"""Deliveries after which the broker gives up, which ends crash loops.

Consumers give up earlier and say why. It is high, because whatever is in work beside a message that kills its process
is delivered again as well.
"""
MAX_ACK_PENDING: Final = 10_000
"""Messages in work or waiting to come back, all replicas together. One too few and the consumer stands still."""
DUPLICATE_SECONDS: Final = 120.0

_DAY: Final = 86_400.0
_NOUNS: Final = ("seed", "policy", "candidate", "triplet", "record", "stage")
_MESSAGE_BYTES: Final = 576 * 1024
MAX_DELIVERIES: Final = f"$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.{WORK}.*"


def stream_of(subject: str) -> str:
    """The stream that stores a subject.

    Raises:
      InvalidError: None does.
    """
    noun = subject.removeprefix(PREFIX).split(".", 1)[0]
    if noun in _NOUNS:
        return WORK
    if noun == "dead":
        return DEAD
    raise InvalidError(f"no stream stores {subject}: its first word must be one of {', '.join(_NOUNS)}")


def streams(replicas: int = 1) -> tuple[StreamConfig, ...]:
    """Work waits in a queue until it is acknowledged; dead letters are kept; advisories wait for the mover."""
    return (
        StreamConfig(
            name=WORK,
            description="Records on their way, one message per record and stage.",
            subjects=[f"{PREFIX}{noun}.>" for noun in _NOUNS],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            discard=DiscardPolicy.NEW,
            max_msgs=1_000_000,
            max_msg_size=_MESSAGE_BYTES,
            duplicate_window=DUPLICATE_SECONDS,
            num_replicas=replicas,
        ),
        StreamConfig(
            name=DEAD,
            description="Records that could not be carried through, with their payload.",
            subjects=[f"{PREFIX}dead.>"],
            retention=RetentionPolicy.LIMITS,
            storage=StorageType.FILE,
            max_age=30 * _DAY,
            duplicate_window=DUPLICATE_SECONDS,
            num_replicas=replicas,
        ),
        StreamConfig(
            name=ADVISORY,
            description="The broker's notes that a message was delivered too often.",
            subjects=[MAX_DELIVERIES],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
            max_age=7 * _DAY,
            num_replicas=replicas,
        ),
    )


def consumer(
    durable: str, filters: Iterable[str], *, ack_wait: float = ACK_WAIT, max_deliver: int = MAX_DELIVER
) -> ConsumerConfig:
    """A durable pull consumer of one service, shared by its replicas."""
    return ConsumerConfig(
        name=durable,
        durable_name=durable,
        filter_subjects=sorted(filters),
        ack_policy=AckPolicy.EXPLICIT,
        ack_wait=ack_wait,
        max_deliver=max_deliver,
        max_ack_pending=MAX_ACK_PENDING,
    )
