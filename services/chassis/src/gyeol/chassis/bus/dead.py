"""Dead letters: what a record becomes when it could not be carried through."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from gyeol.api.failure.v1.failure_pb2 import RecordFailed
from gyeol.chassis.bus.publication import Publication
from gyeol.chassis.errors import Meaning

_DETAIL: Final = 2000


def dead_letter(
    run_id: str,
    record_id: str,
    *,
    stage: str,
    subject: str,
    meaning: Meaning,
    detail: str,
    deliveries: int,
    payload: bytes,
    stratum: str,
    at: datetime,
) -> Publication:
    """The dead letter of one message; the same message always gets the same id."""
    event = RecordFailed(
        run_id=run_id,
        record_id=record_id,
        stage=stage,
        subject=subject,
        meaning=meaning.value,
        detail=detail[:_DETAIL],
        deliveries=deliveries,
        payload=payload,
        stratum=stratum,
    )
    event.failed_at.FromDatetime(at)
    return Publication(event, run_id, record_id, id=f"{run_id}/{record_id}/{stage}/dead/{subject}", stratum=stratum)
