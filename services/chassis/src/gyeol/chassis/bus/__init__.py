"""Events on JetStream: typed publishing, consumers that lose nothing, dead letters."""

# The order matters: what comes first decides what the others load.
from gyeol.chassis import logs as _logs  # noqa: F401
from gyeol.chassis.lean import without

with without("aiohttp"):
    import nats.aio.client  # noqa: F401

from gyeol.chassis.bus.bucket import Bucket
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
    "Bucket",
    "Bus",
    "Consumer",
    "Handler",
    "Mover",
    "Publication",
    "subject_of",
]
