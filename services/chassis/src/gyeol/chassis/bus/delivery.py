"""One message in hand: whose it is, and how its story can end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from gyeol.chassis.bus.publication import RECORD_ID, RUN_ID, STRATUM, Publication


@dataclass(frozen=True, eq=False)
class Delivery:
    """A JetStream message and what its headers say."""

    message: Any
    run_id: str
    record_id: str
    stratum: str

    @classmethod
    def of(cls, message: Any) -> Delivery:
        headers = message.headers or {}
        return cls(message, headers.get(RUN_ID, ""), headers.get(RECORD_ID, ""), headers.get(STRATUM, ""))

    @property
    def sequence(self) -> int:
        """Its number in the stream."""
        return int(self.message.metadata.sequence.stream)

    @property
    def deliveries(self) -> int:
        """How often it was delivered, this time included."""
        return int(self.message.metadata.num_delivered)

    def caused(self, publication: Publication) -> Publication:
        """The publication with the stratum of this message, when it is about the same record and has none of its own."""
        if self.stratum and not publication.stratum and publication.record_id == self.record_id:
            return replace(publication, stratum=self.stratum)
        return publication
