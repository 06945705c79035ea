"""Events on JetStream: typed publishing, consumers that lose nothing, dead letters."""

from gyeol.chassis.bus.connection import Bus
from gyeol.chassis.bus.consumer import Consumer, Handler
from gyeol.chassis.bus.mover import Mover
from gyeol.chassis.bus.publication import PAYLOAD_BYTES, Publication
from gyeol.chassis.bus.stream import ADVISORY, DEAD, WORK
from gyeol.chassis.bus.subject import subject_of

__all__ = [
    "ADVISORY",
    "DEAD",
    "PAYLOAD_BYTES",
    "WORK",
    "Bus",
    "Consumer",
    "Handler",
    "Mover",
    "Publication",
    "subject_of",
]
