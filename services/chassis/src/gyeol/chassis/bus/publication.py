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
"""Largest payload; the server's own limit of 1 MiB counts headers too."""

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
    """Stratum of the record, so that its failure can be counted where it belongs; empty: as the event that caused it."""

    def subject(self) -> str:
        subject = subject_of(type(self.event))
        return f"{subject}.{self.event.stage}" if isinstance(self.event, RecordFailed) else subject

    def payload(self) -> bytes:
        """The event's bytes.

        Raises:
          InvalidError: It is too large for the broker.
        """
        payload = self.event.SerializeToString()
        if len(payload) > PAYLOAD_BYTES:
            raise InvalidError(
                f"{type(self.event).__name__} of record {self.record_id} has {len(payload)} bytes, at most"
                f" {PAYLOAD_BYTES} fit: shorten its texts or keep them elsewhere"
            )
        return payload

    def headers(self, stage: str) -> dict[str, str]:
        headers = {
            MESSAGE_ID: self.id or f"{self.run_id}/{self.record_id}/{stage}/{self.subject()}",
            RUN_ID: self.run_id,
            RECORD_ID: self.record_id,
        }
        if self.stratum:
            headers[STRATUM] = self.stratum
        return telemetry.inject(headers)
