"""An event on its way out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from google.protobuf.message import Message

from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.chassis import telemetry
from gyeol.chassis.bus.subject import subject_of
from gyeol.chassis.errors import InvalidError

PAYLOAD_BYTES: Final = 512 * 1024
"""Largest event. The broker's own limit is 1 MiB and counts headers."""
DEAD_BYTES: Final = 768 * 1024
"""Largest dead letter: an event of the largest size and what is said about it."""

MESSAGE_ID: Final = "Nats-Msg-Id"
RUN_ID: Final = "Gyeol-Run-Id"
RECORD_ID: Final = "Gyeol-Record-Id"
STRATUM: Final = "Gyeol-Stratum"


@dataclass(frozen=True)
class Publication:
    """An event, and whose it is."""

    event: Message
    run_id: str
    record_id: str
    id: str = ""
    """`Nats-Msg-Id`; empty: `<run>/<record>/<stage>/<subject>`. The broker drops a repetition within two minutes."""
    stratum: str = ""
    """Stratum of the record, so that its failure is counted where it belongs; empty: as the event that caused it."""

    def subject(self) -> str:
        subject = subject_of(type(self.event))
        return f"{subject}.{self.event.stage}" if isinstance(self.event, RecordFailed) else subject

    def payload(self) -> bytes:
        """The event's bytes.

        Raises:
          InvalidError: There are too many for the broker.
        """
        payload = self.event.SerializeToString()
        allowed = DEAD_BYTES if isinstance(self.event, RecordFailed) else PAYLOAD_BYTES
        if len(payload) > allowed:
            raise InvalidError(
                f"{type(self.event).__name__} of record {self.record_id} has {len(payload)} bytes, at most {allowed}"
                " fit: shorten its texts or keep them elsewhere"
            )
        return payload

    def headers(self, stage: str) -> dict[str, str]:
        """Headers with the id, whose it is, and the current trace context."""
        headers = {
            MESSAGE_ID: self.id or f"{self.run_id}/{self.record_id}/{stage}/{self.subject()}",
            RUN_ID: self.run_id,
            RECORD_ID: self.record_id,
        }
        if self.stratum:
            headers[STRATUM] = self.stratum
        return telemetry.inject(headers)
