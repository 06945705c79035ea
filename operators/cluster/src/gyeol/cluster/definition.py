"""Waits for the definitions of our kinds, which have a life of their own: they may come after the operator, and go while it works."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from gyeol.chassis import logs
from gyeol.cluster.client import Cluster
from gyeol.cluster.errors import KindMissingError, RefusedError
from gyeol.cluster.kind import Kind

TOLD_SECONDS = 60.0
"""Time between two lines of the log."""

_log = logs.get()


class Definitions:
    """Knows whether our kinds are served.

    Args:
      cluster: The API server.
      kinds: Kinds without which nothing can be heard.
      namespace: Namespace to work in; empty: all of them.
      seconds: Time between two looks.
    """

    def __init__(self, cluster: Cluster, kinds: Sequence[Kind], namespace: str, seconds: float) -> None:
        self._cluster = cluster
        self._kinds = kinds
        self._namespace = namespace
        self._seconds = seconds
        self.waiting = False
        """True while nothing can be done, because a kind is missing."""

    async def missing(self) -> tuple[Kind, ...]:
        """Kinds that the API server does not serve."""
        return tuple([kind for kind in self._kinds if not await self._served(kind)])

    async def wait(self) -> None:
        """Returns when every kind is served; says which are not, at once and every minute."""
        looks, every = 0, max(1, round(TOLD_SECONDS / self._seconds))
        try:
            while missing := await self.missing():
                self.waiting = True
                if looks % every == 0:
                    remedies = sorted({kind.remedy for kind in missing})
                    _log.warning("kinds_missing", kinds=[kind.name for kind in missing], remedy="; ".join(remedies))
                looks += 1
                await asyncio.sleep(self._seconds)
            if looks:
                await asyncio.sleep(self._seconds)  # until each of several API servers knows them
        finally:
            self.waiting = False
        if looks:
            _log.info("kinds_found", kinds=[kind.name for kind in self._kinds])

    async def _served(self, kind: Kind) -> bool:
        """Both have to know it: kopf looks a kind up in discovery, once, and then lists it; neither comes first for sure."""
        try:
            await self._cluster.first(kind, self._namespace)
            return await self._cluster.has(kind)
        except KindMissingError:
            return False
        except RefusedError:
            return True  # it is there, and the watch says what the account lacks
