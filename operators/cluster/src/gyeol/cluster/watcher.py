"""kopf, as the ear of the operator: it watches our kinds, lists them anew when it must, and tells of every change.

Handlers get an explicit registry and only pass events on.
None of kopf's own states, annotations or finalizers is written: progress lives in `status`, and steady state writes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any

import kopf

from gyeol.chassis.errors import NotReadyError
from gyeol.cluster.definition import Definitions
from gyeol.cluster.desk import Desk
from gyeol.cluster.settings import Settings

CONNECT_SECONDS = 10.0
STREAM_SECONDS = 300
"""A whole number: the API server refuses a watch with any other."""
STOP_SECONDS = 10.0


async def listen(settings: Settings, desk: Desk, definitions: Definitions) -> None:
    """Watches our kinds until cancelled; where one goes, waits until it is there again.

    Raises:
      Exception: What ended the watch although every kind is there.
    """
    while True:
        await definitions.wait()
        try:
            await Watcher(settings, desk).run()
        except Exception:
            gone = await definitions.missing()
            if not gone:
                raise
            for kind in gone:
                desk.vanished(kind.plural)


class Watcher:
    """Watches our kinds for a desk.

    Args:
      settings: Where to watch.
      desk: Told of every change.
      stop_seconds: How long kopf may take to stop before all it does is cancelled once more.
    """

    def __init__(self, settings: Settings, desk: Desk, stop_seconds: float = STOP_SECONDS) -> None:
        self._settings = settings
        self._desk = desk
        self._stop_seconds = stop_seconds
        self._home: asyncio.AbstractEventLoop | None = None
        self._ended = False
        self._stop: Callable[[], None] = lambda: None
        self._cancel: Callable[[], None] = lambda: None
        self.registry = kopf.OperatorRegistry()
        kopf.on.login(registry=self.registry)(_login)
        for plural, trade in desk.trades.items():
            self._register(plural, trade.kind.group, trade.kind.version)

    async def run(self) -> None:
        """Watches until cancelled.

        Raises:
          NotReadyError: kopf ended by itself.
        """
        logging.getLogger("kopf").setLevel(logging.WARNING)
        self._home = asyncio.get_running_loop()
        watching = self._home.run_in_executor(None, asyncio.run, self._watch())
        try:
            await asyncio.shield(watching)
            raise NotReadyError("the watches ended by themselves; an operator that hears nothing has to start anew")
        finally:
            self._ended = True
            self._stop()
            if not (await asyncio.wait({watching}, timeout=self._stop_seconds))[0]:
                # A stream of kopf that breaks while it is cancelled can take the cancellation for its own and wait for
                # credentials for ever; the process would wait for it, neither leading nor starting anew.
                self._cancel()
                await asyncio.wait({watching}, timeout=self._stop_seconds)

    async def _watch(self) -> None:
        """kopf, in a loop of its own: when it ends it cancels whatever runs in its loop, and it takes signals for itself."""
        loop, stop = asyncio.get_running_loop(), asyncio.Event()
        self._stop = lambda: _called(loop, stop.set)
        self._cancel = lambda: _called(loop, _cancel_all, loop)
        if self._ended:
            return
        await kopf.operator(
            registry=self.registry,
            settings=_kopf_settings(),
            standalone=True,  # the lease decides who is active
            clusterwide=not self._settings.namespace,
            namespaces=[self._settings.namespace] if self._settings.namespace else [],
            stop_flag=stop,
        )

    def _register(self, plural: str, group: str, version: str) -> None:
        async def heard(event: Any, **_: Any) -> None:
            if self._home is not None:
                _called(self._home, self._desk.heard, plural, event["type"], dict(event["object"]))

        kopf.on.event(group, version, plural, registry=self.registry, id=f"heard-{plural}")(heard)


def _called(loop: asyncio.AbstractEventLoop, what: Callable[..., object], *told: object) -> None:
    """Has another loop call something; one that is closed has nothing left to do."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(what, *told)


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _login(**told: Any) -> Any:
    return kopf.login_with_service_account(**told) or kopf.login_with_kubeconfig(**told)


def _kopf_settings() -> kopf.OperatorSettings:
    settings = kopf.OperatorSettings()
    settings.process.ultimate_exiting_timeout = None  # it would kill the whole process, minutes after a lost lease
    settings.posting.enabled = False
    settings.scanning.disabled = True
    settings.watching.connect_timeout = CONNECT_SECONDS
    settings.watching.server_timeout = STREAM_SECONDS
    settings.watching.client_timeout = STREAM_SECONDS + 30
    settings.persistence.finalizer = "gyeol.dev/never-used"
    settings.persistence.progress_storage = kopf.StatusProgressStorage(field="status.never-used")
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix="gyeol.dev")
    settings.queueing.idle_timeout = 2.0
    return settings
