"""Subjects are an option of the event's proto, read back through its descriptor."""

from __future__ import annotations

import functools
from typing import Final

from google.protobuf.message import Message

from gyeol.api.event.v1 import subject_pb2
from gyeol.chassis.errors import InvalidError

PREFIX: Final = "gyeol."


@functools.cache
def subject_of(event: type[Message]) -> str:
    """The subject an event is published on, for example `gyeol.seed.generated`.

    Raises:
      InvalidError: The message is not an event.
    """
    options = event.DESCRIPTOR.GetOptions()
    if not options.HasExtension(subject_pb2.subject):
        raise InvalidError(
            f"{event.DESCRIPTOR.full_name} has no subject: add `option (gyeol.api.event.v1.subject)` to its proto"
        )
    return PREFIX + options.Extensions[subject_pb2.subject]
