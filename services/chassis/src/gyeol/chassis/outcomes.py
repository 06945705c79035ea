"""The one table from an error's meaning to both wires: a gRPC status and what becomes of a JetStream message.

| meaning   | gRPC               | JetStream                                                  |
|-----------|--------------------|------------------------------------------------------------|
| INVALID   | INVALID_ARGUMENT   | dead letter                                                |
| DENIED    | PERMISSION_DENIED  | dead letter                                                |
| NOT_FOUND | NOT_FOUND          | dead letter                                                |
| CONFLICT  | ABORTED            | ack: the first result stands                               |
| NOT_READY | UNAVAILABLE        | nak, 2 s doubling to 60 s, dead letter after about an hour |
| EXHAUSTED | RESOURCE_EXHAUSTED | nak, 5 s doubling to 30 s, dead letter after ten minutes   |
| INTERNAL  | INTERNAL           | nak, 1 s doubling to 8 s, dead letter at the fifth failure |
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import grpc

from gyeol.chassis.errors import GyeolError, Meaning


@dataclass(frozen=True)
class Ack:
    """The message is done with."""


@dataclass(frozen=True)
class DeadLetter:
    """The message leaves the queue as a `RecordFailed` that keeps its payload."""


@dataclass(frozen=True)
class Nak:
    """The message comes back after a delay that doubles, until there were too many failures of this meaning."""

    first: float
    """Seconds before the second attempt."""
    ceiling: float
    """Seconds that no delay exceeds."""
    attempts: int
    """Failures of this meaning after which the message is a dead letter."""

    def delay(self, failures: int) -> float:
        """Seconds to wait after the given number of failures, from 1."""
        return min(self.ceiling, self.first * 2.0 ** min(failures - 1, 16))


@dataclass(frozen=True)
class Outcome:
    status: grpc.StatusCode
    disposition: Ack | Nak | DeadLetter


Table = Mapping[Meaning, Outcome]

TABLE: Table = MappingProxyType(
    {
        Meaning.INVALID: Outcome(grpc.StatusCode.INVALID_ARGUMENT, DeadLetter()),
        Meaning.DENIED: Outcome(grpc.StatusCode.PERMISSION_DENIED, DeadLetter()),
        Meaning.NOT_FOUND: Outcome(grpc.StatusCode.NOT_FOUND, DeadLetter()),
        Meaning.CONFLICT: Outcome(grpc.StatusCode.ABORTED, Ack()),
        Meaning.NOT_READY: Outcome(grpc.StatusCode.UNAVAILABLE, Nak(first=2, ceiling=60, attempts=64)),
        Meaning.EXHAUSTED: Outcome(grpc.StatusCode.RESOURCE_EXHAUSTED, Nak(first=5, ceiling=30, attempts=24)),
        Meaning.INTERNAL: Outcome(grpc.StatusCode.INTERNAL, Nak(first=1, ceiling=8, attempts=5)),
    }
)

_MEANINGS: Mapping[grpc.StatusCode, Meaning] = {
    **{outcome.status: meaning for meaning, outcome in TABLE.items()},
    grpc.StatusCode.OUT_OF_RANGE: Meaning.INVALID,
    grpc.StatusCode.UNAUTHENTICATED: Meaning.DENIED,
    grpc.StatusCode.ALREADY_EXISTS: Meaning.CONFLICT,
    grpc.StatusCode.FAILED_PRECONDITION: Meaning.CONFLICT,
    grpc.StatusCode.DEADLINE_EXCEEDED: Meaning.NOT_READY,
    grpc.StatusCode.CANCELLED: Meaning.NOT_READY,
}


def meaning_of(error: BaseException) -> Meaning:
    """What an error means, also one that a peer or the network raised."""
    if isinstance(error, GyeolError):
        return error.meaning
    if isinstance(error, grpc.aio.AioRpcError):
        return _MEANINGS.get(error.code(), Meaning.INTERNAL)
    if isinstance(error, asyncio.TimeoutError | ConnectionError):
        return Meaning.NOT_READY
    return Meaning.INTERNAL


BAD_INPUT: Final = 2
"""Exit status of a process whose settings or input a person has to mend: started again, it would end again."""


def exit_status(error: BaseException) -> int:
    """The exit status of a service that an error ended."""
    wrong = isinstance(error, GyeolError) and error.meaning in (Meaning.INVALID, Meaning.NOT_FOUND)
    return BAD_INPUT if wrong else 1


def told(error: BaseException) -> str:
    """What may be said of an error: the words of our own, the kind of any other, whose words may hold record text."""
    if isinstance(error, GyeolError):
        return str(error)
    if isinstance(error, grpc.aio.AioRpcError):
        return f"a peer answered {error.code().name}: {error.details()}"
    return type(error).__name__
