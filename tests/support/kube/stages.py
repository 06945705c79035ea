"""The stages after `policy`, in one process: every rendered question becomes a triplet at once, so that runs need no model.

python -m support.kube.stages NATS_URL READY_FILE
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path

from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.chassis.bus import Bus, Consumer, Publication
from gyeol.chassis.settings import ServiceSettings
from support.record import stage_completed, triplet_accepted


async def rendered(event: PolicyRendered) -> Sequence[Publication]:
    seed, run_id = event.seed, event.run.run_id
    if "target" not in seed.slots:
        seed.slots["target"] = "이웃"
    told = triplet_accepted(seed, run_id)
    return [
        Publication(
            stage_completed(seed, "candidate", run_id),
            run_id,
            seed.id,
            stratum=seed.stratum,
            id=f"{run_id}/{seed.id}/candidate",
        ),
        Publication(
            stage_completed(seed, "judge", run_id),
            run_id,
            seed.id,
            stratum=seed.stratum,
            id=f"{run_id}/{seed.id}/judge",
        ),
        Publication(told, run_id, seed.id, stratum=seed.stratum),
    ]


async def main(url: str, ready: Path) -> None:
    bus = await Bus.connect(ServiceSettings(nats_url=url), "candidate")
    await bus.ensure()
    consumer = Consumer(bus, durable="candidate", events={PolicyRendered: rendered}, slots=64)
    await asyncio.to_thread(ready.write_text, "{}")
    await consumer.run()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
