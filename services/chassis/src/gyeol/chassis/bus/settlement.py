"""What becomes of a message whose handler did not succeed."""

from __future__ import annotations

from gyeol.chassis import logs, metrics
from gyeol.chassis.bus.attempt import Attempts
from gyeol.chassis.bus.connection import Bus
from gyeol.chassis.bus.dead import dead_letter
from gyeol.chassis.bus.delivery import Delivery
from gyeol.chassis.bus.stream import DEAD
from gyeol.chassis.clock import Clock
from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.chassis.outcomes import Ack, Nak, Table, meaning_of, told

_log = logs.get()


class Settlement:
    """Acknowledges, gives back or buries."""

    def __init__(self, bus: Bus, stage: str, stream: str, outcomes: Table, max_deliver: int, clock: Clock) -> None:
        self._bus = bus
        self._stage = stage
        self._stream = stream
        self._outcomes = outcomes
        self._max_deliver = max_deliver
        self._clock = clock
        self._attempts = Attempts()

    async def settle(self, delivery: Delivery, error: Exception) -> None:
        """Does what the table of outcomes says. Never raises: an unsettled message comes back by itself."""
        try:
            await self._settle(delivery, error)
        except Exception as unsettled:
            _log.warning("record_unsettled", kind=type(unsettled).__name__, error=str(unsettled))

    async def _settle(self, delivery: Delivery, error: Exception) -> None:
        meaning = meaning_of(error)
        failures = self._attempts.failed(delivery.sequence, meaning)
        disposition = self._outcomes[meaning].disposition
        fields = {
            "meaning": meaning.value,
            "error": told(error),
            "failures": failures,
            "deliveries": delivery.deliveries,
        }
        trace = error if meaning is Meaning.INTERNAL and not isinstance(error, GyeolError) else None
        if isinstance(disposition, Ack):
            _log.info("record_settled_before", **fields)
            await delivery.message.ack()
            self._count("conflict")
            self.forget(delivery)
        elif isinstance(disposition, Nak) and failures < disposition.attempts and self._may_come_back(delivery):
            delay = _delay(disposition, failures, error)
            log = _log.warning if failures == 1 else _log.debug  # ten thousand records may wait for one endpoint
            log("record_retried", delay=delay, exc_info=trace, **fields)
            await delivery.message.nak(delay=delay)
            self._count("retried")
        else:
            _log.error("record_failed", exc_info=trace, **fields)
            await self._bury(delivery, meaning, told(error))

    def _may_come_back(self, delivery: Delivery) -> bool:
        """The broker would not deliver it again after its last delivery, and it would be lost from sight."""
        return delivery.deliveries < self._max_deliver

    async def _bury(self, delivery: Delivery, meaning: Meaning, detail: str) -> None:
        if self._stream != DEAD:  # a dead letter stays where it is
            letter = dead_letter(
                delivery.run_id,
                delivery.record_id,
                stage=self._stage,
                subject=delivery.message.subject,
                meaning=meaning,
                detail=detail,
                deliveries=delivery.deliveries,
                payload=delivery.message.data,
                stratum=delivery.stratum,
                at=self._clock.now(),
            )
            await self._bus.publish(letter)
        await delivery.message.ack()
        self._count("dead")
        self.forget(delivery)

    async def give_back(self, delivery: Delivery) -> None:
        """Lets another replica have the message at once."""
        try:
            await delivery.message.nak()
        except Exception as unsettled:
            _log.warning("record_unsettled", kind=type(unsettled).__name__)

    def forget(self, delivery: Delivery) -> None:
        """The message is done with."""
        if self._attempts:
            self._attempts.forget(delivery.sequence)

    def _count(self, outcome: str) -> None:
        metrics.RECORDS.labels(self._stage, outcome).inc()


def _delay(nak: Nak, failures: int, error: Exception) -> float:
    asked = error.retry_after if isinstance(error, GyeolError) else None
    return min(nak.ceiling, max(nak.delay(failures), asked or 0.0))
