"""The operator put together."""

from __future__ import annotations

import asyncio
import math
import os

import aiohttp
from kubernetes_asyncio import config
from kubernetes_asyncio.client import ApiClient, Configuration

from gyeol.chassis import logs
from gyeol.chassis.run import Doors, Parts
from gyeol.cluster.border import Border
from gyeol.cluster.cache import Cache
from gyeol.cluster.client import Cluster
from gyeol.cluster.culture import Cultures
from gyeol.cluster.definition import Definitions
from gyeol.cluster.depot import Depot
from gyeol.cluster.desk import Desk, Trade
from gyeol.cluster.hand import Hand
from gyeol.cluster.identity import Identities
from gyeol.cluster.kind import ALIGNMENT_RUN, CHILDREN, CULTURE_PACK, MODEL_PROMOTION, OURS
from gyeol.cluster.leader import lead
from gyeol.cluster.observer import Observer
from gyeol.cluster.offer import delivery, site
from gyeol.cluster.peers import peers
from gyeol.cluster.promotion import Promotions
from gyeol.cluster.reporter import Reporter
from gyeol.cluster.run import Runs
from gyeol.cluster.settings import Settings
from gyeol.cluster.signature import Signatures
from gyeol.cluster.watcher import listen

_log = logs.get()


class Operator:
    """The worker that reconciles while it is the leader, and while the kinds that it works on are there."""

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self._settings = settings
        self._parts = parts
        self._task: asyncio.Task[None] | None = None
        self._definitions: Definitions | None = None

    @property
    def last_fetch(self) -> float:
        """When it last could hear anything, for health checks; never, while a kind is missing."""
        waits = self._definitions is not None and self._definitions.waiting
        return -math.inf if waits else self._parts.clock.monotonic()

    async def run(self) -> None:
        """Works until stopped; an error ends the process, and the next one takes over where this one was."""
        self._task = asyncio.current_task()
        try:
            async with ApiClient(await configuration()) as api, aiohttp.ClientSession() as http:
                await lead(self._settings, api, lambda: self._reconcile(Cluster(api), http))
        except asyncio.CancelledError:
            if not self._parts.stopping.is_set():
                raise

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    async def _reconcile(self, cluster: Cluster, http: aiohttp.ClientSession) -> None:
        settings, parts = self._settings, self._parts
        offer = site(settings, await delivery(settings, cluster))
        reporter, known = Reporter(cluster), peers(settings, parts)
        desk = Desk({}, reporter, settings.resync_seconds)
        cache = Cache(cluster, CHILDREN, settings.namespace, desk.child_changed)
        border = Border(cluster, settings)
        observer = Observer(known, cluster, cache, Identities(http), border, offer.store, settings.console_url)
        depot = Depot(offer.store.url, settings.artifacts_folder)
        hand = Hand(cluster, cache, known, parts.bus, observer, depot)
        runs = Runs(hand, observer, reporter, known, offer, parts.clock, settings.poll_seconds)
        identities = Identities(http)
        promotions = Promotions(
            cluster, cache, known, identities, reporter, offer, parts.clock, settings.service_url, settings.poll_seconds
        )
        definitions = self._definitions = Definitions(cluster, OURS, settings.namespace, settings.poll_seconds)
        cultures = Cultures(known, Signatures(cluster, settings), reporter, parts.clock)
        desk.trades = {
            ALIGNMENT_RUN.plural: Trade(ALIGNMENT_RUN, runs.reconcile, runs.forget),
            MODEL_PROMOTION.plural: Trade(MODEL_PROMOTION, promotions.reconcile),
            CULTURE_PACK.plural: Trade(CULTURE_PACK, cultures.reconcile),
        }
        async with asyncio.TaskGroup() as group:
            group.create_task(cache.run())
            await cache.ready()
            _log.info("reconciling", namespace=settings.namespace or "all")
            group.create_task(desk.run(settings.workers))
            group.create_task(listen(settings, desk, definitions))


async def configuration() -> Configuration:
    """Credentials of the pod, or of the kubeconfig file."""
    made = Configuration()
    try:
        config.load_incluster_config(client_configuration=made)
    except config.ConfigException:
        file = os.environ.get("KUBECONFIG")  # the library reads the variable only once, when it is imported
        await config.load_kube_config(config_file=file, client_configuration=made)
    made.connection_pool_maxsize = 200
    return made


async def compose(settings: Settings, parts: Parts) -> Doors:
    return Doors(workers=[Operator(settings, parts)])
