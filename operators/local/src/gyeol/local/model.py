"""Which model a person means: a run's, a folder, or an address; and its weights on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from gyeol.chassis.clock import SystemClock
from gyeol.local.engine import Engines
from gyeol.local.errors import InputError, NothingThereError, ServiceDownError, StoppedError
from gyeol.local.fleet import Fleet
from gyeol.local.home import Home, RunFolder
from gyeol.local.lock import held
from gyeol.local.order import weights_order
from gyeol.local.process import Identity
from gyeol.local.progress import sentence
from gyeol.local.result import status_of
from gyeol.local.roster import Roster, stored
from gyeol.local.service import Service, Surroundings
from gyeol.local.workshop import Workshop
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.quantity import MODEL_SCHEMES
from gyeol.reconcile.seen import Job, JobState, Serving

START_SECONDS = 180.0


@dataclass(frozen=True)
class Model:
    """Weights on this machine."""

    name: str
    """What requests call it."""
    folder: Path
    digest: str = ""
    """What the server must say it serves; empty: not checked."""


def model_of(home: Home, target: str | None, *, untuned: bool, say: Callable[[str], None]) -> Model:
    """The model that a person means.

    Args:
      home: The state folder.
      target: Run, folder or address; None: the newest run that has a model.
      untuned: Of a run, the base model instead of the trained one.
      say: Told what is done when weights have to be fetched.

    Raises:
      NothingThereError: There is no such model.
      InputError: Its address is wrong.
      StoppedError: Its weights cannot be fetched.
    """
    if target is not None and target.startswith(MODEL_SCHEMES):
        place = home.weights / "named" / f"{_readable(target)}-{hashlib.sha256(target.encode()).hexdigest()[:8]}"
        return Model(_readable(target), fetched(home, target, place, say))
    if target is not None and Path(target).is_dir():
        path = Path(target)
        return Model(path.name, path / "model" if (path / "model").is_dir() else path)
    if target is not None and os.sep in target:
        raise NothingThereError(
            f"there is no folder {target}; name a run, a folder of weights or an address of weights such as hf://org/name"
        )
    folder = home.resolve(target) if target else _newest_with_a_model(home)
    status = status_of(folder)
    if untuned:
        run = parse_alignment_run(folder.specification.read_bytes(), str(folder.specification))
        return Model(f"{run.metadata.name}-base", fetched(home, run.spec.base_model.uri, folder.base, say))
    if status.candidate is None:
        raise NothingThereError(
            f"{folder.run_id} has no trained model yet; it is {status.state}. Give --base for its base model"
        )
    return Model(folder.run_id.rpartition("-")[0], folder.training / "model")


def fetched(home: Home, uri: str, folder: Path, say: Callable[[str], None]) -> Path:
    """The folder, after the weights at an address were fetched into it when they are not there yet."""
    if not (folder / "manifest.json").is_file():
        say(f"fetching {uri}")
        asyncio.run(_fetch(home, uri, folder, say))
    return folder


async def served(engines: Engines, model: Model, port: int) -> str:
    """Serves a model and waits until it answers; returns its base URL.

    Raises:
      ServiceDownError: It does not come up.
    """
    engines.start(model.name, model.folder, digest=model.digest, port=port)
    for _ in range(int(START_SECONDS * 4)):
        if await engines.seen(model.name) is Serving.READY:
            return engines.url(model.name)
        await asyncio.sleep(0.25)
    raise ServiceDownError(
        f"{model.name} did not answer within {START_SECONDS:g} s; see gyeol logs predictor-{model.name}"
    )


async def _fetch(home: Home, uri: str, folder: Path, say: Callable[[str], None]) -> None:
    if not uri.startswith("builtin:"):
        await _fetch_with(Roster(None), home, uri, folder, say)
        return
    async with _question_services(home, say) as services:
        await _fetch_with(services, home, uri, folder, say)


@contextlib.asynccontextmanager
async def _question_services(home: Home, say: Callable[[str], None]) -> AsyncIterator[Roster]:
    """The two services whose questions a built-in model is made from: those that are up, or two started for a moment."""
    known = stored(home)
    if known is not None and all(known.alive().get(name) for name in ("policy", "seed")):
        yield known
        return
    with held(home, "gyeol, which makes a built-in model,"):
        fleet = Fleet(Surroundings(home), [Service("policy"), Service("seed")], say)
        try:
            await fleet.up(owner=Identity.of(os.getpid()))
            yield fleet.roster
        finally:
            fleet.down()


async def _fetch_with(services: Roster, home: Home, uri: str, folder: Path, say: Callable[[str], None]) -> None:
    workshop = Workshop(home, SystemClock(), lambda _, line: say(told) if (told := sentence(line)) else None)
    try:
        await workshop.start(Job.WEIGHTS, 0, weights_order(home, uri, folder, services))
        while (one := workshop.seen(Job.WEIGHTS)) is not None and one.state is JobState.RUNNING:
            await workshop.changed.wait()
        if not (folder / "manifest.json").is_file():
            refused = one is not None and one.state is JobState.REFUSED
            kind = InputError if refused else StoppedError
            raise kind(f"{uri} cannot be fetched: {one.message if one else 'it did not start'}")
    finally:
        await workshop.close()


def _newest_with_a_model(home: Home) -> RunFolder:
    for folder in home.run_folders():
        if (folder.training / "manifest.json").is_file():
            return folder
    raise NothingThereError(
        f"no run in {home.path} has a trained model yet; run one: gyeol run -f examples/ko-quickstart.yaml"
    )


def _readable(uri: str) -> str:
    return re.sub(r"[^a-z0-9.-]+", "-", uri.lower().split(":", 1)[1]).strip("-") or "model"
