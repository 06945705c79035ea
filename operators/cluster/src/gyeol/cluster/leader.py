"""One active operator: whoever holds the lease. Who loses it ends, and starts again as a follower.

A second leader for a moment would do no harm: names are deterministic and statuses are written only over the version they were made from.
"""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Awaitable, Callable

from kubernetes_asyncio.client import ApiClient
from kubernetes_asyncio.leaderelection.electionconfig import Config
from kubernetes_asyncio.leaderelection.leaderelection import LeaderElection
from kubernetes_asyncio.leaderelection.resourcelock.leaselock import LeaseLock

from gyeol.chassis import logs
from gyeol.chassis.errors import NotReadyError
from gyeol.cluster.settings import Settings

LEASE = "gyeol-cluster"

_log = logs.get()


async def lead(settings: Settings, api: ApiClient, work: Callable[[], Awaitable[None]]) -> None:
    """Waits for the lease, then works for as long as it is held.

    Raises:
      NotReadyError: The lease was lost.
      Exception: What the work raised. The election knows nothing of the work and would renew for ever, so it is ended with it.
    """
    if not settings.leader_election:
        await work()
        return
    identity = f"{os.environ.get('POD_NAME') or socket.gethostname()}-{uuid.uuid4().hex[:8]}"
    failed: list[BaseException] = []

    async def started() -> None:
        _log.info("leading", identity=identity)
        try:
            await work()
        except Exception as error:
            failed.append(error)
            election.cancel()

    async def stopped() -> None:
        _log.warning("lease_lost", identity=identity)

    seconds = settings.lease_seconds
    config = Config(
        LeaseLock(LEASE, settings.lease_namespace, identity, api),
        lease_duration=seconds,
        renew_deadline=max(1.5, seconds * 2 / 3),
        retry_period=max(1, seconds // 8),
        onstarted_leading=started,
        onstopped_leading=stopped,
    )
    election = asyncio.create_task(LeaderElection(config).run())
    try:
        await election
    except asyncio.CancelledError:
        election.cancel()
        if not failed:
            raise
    raise (
        failed[0]
        if failed
        else NotReadyError("the lease was lost: another operator is active, or the API server cannot be reached")
    )
