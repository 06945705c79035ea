"""The gateway: the place that puts it together, and its command.

python -m gyeol.gateway                                   serve
python -m gyeol.gateway token --name kim --role reviewer  make an API token
"""

from __future__ import annotations

import sys

from gyeol.chassis.run import Doors, Parts, serve
from gyeol.gateway.app import application
from gyeol.gateway.auth.gate import gate
from gyeol.gateway.door import Gateway
from gyeol.gateway.guard.origin import Origins
from gyeol.gateway.guard.rate import Rates
from gyeol.gateway.http import HttpServer
from gyeol.gateway.peer.health import Peers
from gyeol.gateway.peer.ledger import LedgerPeer
from gyeol.gateway.peer.policy import PolicyPeer
from gyeol.gateway.settings import Settings


async def compose(settings: Settings, parts: Parts) -> Doors:
    entry = gate(settings, parts.clock)
    ledger, policy = parts.channel(settings.ledger_address), parts.channel(settings.policy_address)
    seed, judge = parts.channel(settings.seed_address), parts.channel(settings.judge_address)
    held = Gateway(
        ledger=LedgerPeer(ledger),
        policy=PolicyPeer(policy),
        peers=Peers({"ledger": ledger, "policy": policy, "seed": seed, "judge": judge}),
        gate=entry,
        rates=Rates(settings.requests_per_minute, settings.sign_ins_per_minute),
        origins=Origins(settings.hosts),
        cultures=settings.cultures,
    )
    http = HttpServer(
        application(held, body_bytes=settings.body_kilobytes * 1024),
        settings.listen,
        settings.http_port,
        forwarded_allow_ips=settings.forwarded_allow_ips,
        drain_seconds=settings.drain_seconds,
    )
    return Doors(workers=[http])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        from gyeol.gateway.command import app

        app()
    serve("gateway", Settings, compose, broker=False)
