"""Subjects are an option of the event's proto, read back through its descriptor."""

from __future__ import annotations

from typing import Final

from google.protobuf.message import Message

from gyeol.api.event.v1 import subject_pb2
from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.chassis.errors import InvalidError

PREFIX: Final = "gyeol."
_known: dict[type[Message], str] = {}


def subject_of(event: type[Message]) -> str:
    """The subject an event is published on, for example `gyeol.seed.generated`.

    Raises:
      InvalidError: The message is not an event.
    """
    if event not in _known:
        options = event.DESCRIPTOR.GetOptions()
        if not options.HasExtension(subject_pb2.subject):
            raise InvalidError(
                f"{event.DESCRIPTOR.full_name} has no subject: add `option (gyeol.api.event.v1.subject)` to its proto"
            )
        _known[event] = PREFIX + options.Extensions[subject_pb2.subject]
    return _known[event]


def filter_of(event: type[Message]) -> str:
    """What a consumer of the event listens to: dead letters are one event on a subject for each stage."""
    return f"{subject_of(event)}.*" if event is RecordFailed else subject_of(event)
