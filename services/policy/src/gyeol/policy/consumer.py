"""The JetStream door."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from gyeol.api.ledger.v1.event_pb2 import StageCompleted
from gyeol.api.policy.v1.policy_pb2 import PolicyRendered
from gyeol.api.seed.v1.seed_pb2 import SeedGenerated
from gyeol.chassis.bus import Publication
from gyeol.policy import convert
from gyeol.policy.service import Policies

STAGE = "policy"


class PolicyConsumer:
    """Adds to each seed the policy that applies to it."""

    def __init__(self, policies: Policies) -> None:
        self._policies = policies

    async def seed_generated(self, event: SeedGenerated) -> Sequence[Publication]:
        question = convert.question_from_pb(event.seed)
        rendered = self._policies.render(question)
        policy = convert.rendered_to_pb(self._policies.pack(question.culture), rendered)
        output = PolicyRendered(run=event.run, seed=event.seed, policy=policy)
        done = StageCompleted(
            run_id=event.run.run_id,
            record_id=event.seed.id,
            stage=STAGE,
            stratum=event.seed.stratum,
            output_digest=hashlib.sha256(output.SerializeToString(deterministic=True)).hexdigest(),
        )
        return [
            Publication(message, event.run.run_id, event.seed.id, stratum=event.seed.stratum)
            for message in (output, done)
        ]
