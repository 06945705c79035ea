"""Looks at what a run names before anything is made for it.

Culture packs are the policy service's to know. Suites and gate policies are those of this release, whose images the jobs run,
and what a ConfigMap adds to them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from gyeol.chassis import logs, shipped
from gyeol.cluster.client import Cluster
from gyeol.cluster.errors import GoneError, RefusedError
from gyeol.cluster.kind import CONFIG_MAP
from gyeol.cluster.settings import Settings
from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.fault import Fault, dotted
from gyeol.reconcile.manifest.site import ARTIFACTS
from gyeol.reconcile.reference import Known, complaints

_log = logs.get()


class Border:
    """Knows what runs may name here.

    Args:
      cluster: The API server.
      settings: Where gate policies and artifacts are.
    """

    def __init__(self, cluster: Cluster, settings: Settings) -> None:
        self._cluster = cluster
        self._settings = settings
        self._suites: Mapping[str, str] = {}
        self._policies: tuple[str, ...] = ()
        if settings.check_references:
            files = shipped.files("gyeol.evaluate", "suites")
            self._suites = {name: file.read_text(encoding="utf-8") for name, file in files.items()}
            self._policies = tuple(shipped.files("gyeol.gate", "policies"))
            if not (self._suites and self._policies):
                _log.warning("references_unknown", suites=len(self._suites), policies=len(self._policies))

    async def faults(self, run: AlignmentRun) -> tuple[Fault, ...]:
        """What the run names and nobody has; nothing where this is not known.

        Raises:
          UnreachableError: The API server cannot be asked now.
        """
        known = Known(policies=await self._named(run.metadata.namespace), suites=self._suites)

        def found() -> tuple[Fault, ...]:
            told = complaints(run, known, lambda path: self._unseen(path, run.metadata.namespace))
            return tuple(Fault(dotted(where), what) for where, what in told)

        return await asyncio.to_thread(found)  # it may look at a volume

    async def _named(self, namespace: str) -> tuple[str, ...]:
        """Gate policies that may be named in a namespace; none: not known."""
        name = self._settings.gate_policies
        if not (name and self._policies):
            return self._policies
        try:
            more = (await self._cluster.get(CONFIG_MAP, namespace, name)).get("data") or {}
        except GoneError:
            return self._policies
        except RefusedError:
            return ()
        return tuple(sorted({*self._policies, *more}))

    def _unseen(self, path: str, namespace: str) -> str:
        """What is wrong with a path of data: pods of an evaluation see the artifact store and nothing else of a person's."""
        settings, place = self._settings, PurePosixPath(path)
        if settings.artifacts.startswith("s3://"):
            return "is on no volume of an evaluation, because artifacts are kept in an object store; name hf:owner/name"
        claim = settings.artifacts.partition("://")[2]
        if ".." in place.parts or not place.is_relative_to(ARTIFACTS):
            return (
                f"is not what an evaluation sees; put the data on the claim {claim} and name its path below {ARTIFACTS}"
            )
        mounted = settings.artifacts_folder
        if namespace != settings.lease_namespace or not mounted.is_dir():
            return ""  # the claim of that name in another namespace is another one
        real = Path(mounted, place.relative_to(ARTIFACTS))
        return (
            "" if real.exists() else f"does not exist on the claim {claim}; fetch the data to it, or correct the path"
        )
