"""What a machine must have for a run, looked at one by one."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

import psutil

from gyeol.chassis.chat import Endpoint
from gyeol.chassis.errors import GyeolError
from gyeol.local import broker
from gyeol.local.endpoint import endpoints_of, troubles
from gyeol.local.fleet import CONSOLE_PORT
from gyeol.local.home import Home
from gyeol.local.port import is_free, listener
from gyeol.local.shipped import complaints, packs
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.fault import SpecificationError

GIB = 2**30
PACKAGES = (
    "seed", "policy", "candidate", "judge", "ledger", "gateway", "predictor", "weights", "dpo", "evaluate", "gate", "promote",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    what: str
    state: Literal["ok", "note", "missing"]
    said: str
    remedy: str = ""


async def findings(home: Home, file: Path | None) -> list[Finding]:
    """Everything that was looked at; with a run's file also its endpoints and keys."""
    looks: tuple[Callable[[], Finding], ...] = (
        _python,
        _cores,
        _memory,
        lambda: _disk(home),
        _port,
        _broker,
        _packages,
        _pack,
    )
    found = [look() for look in looks]
    if file is not None:
        said, endpoints = _run(file, home)
        found += [said, *[await _endpoint(one) for one in endpoints]]
    return found


def _python() -> Finding:
    said = platform.python_version()
    if not (3, 11) <= sys.version_info[:2] < (3, 13):
        return Finding("python", "missing", said, "use Python 3.11 or 3.12: make setup PYTHON=python3.11")
    return Finding("python", "ok", said)


def _cores() -> Finding:
    count = os.cpu_count() or 1
    if count < 2:
        return Finding("processor · 코어", "note", f"{count} core", "two cores make a run about twice as fast")
    return Finding("processor · 코어", "ok", f"{count} cores")


def _memory() -> Finding:
    free = psutil.virtual_memory().available
    said = f"{free / GIB:.1f} GiB available"
    if free < 3 * GIB:
        return Finding("memory · 메모리", "note", said, "the quickstart needs about 3 GiB; end other programs")
    return Finding("memory · 메모리", "ok", said)


def _disk(home: Home) -> Finding:
    place = next(path for path in (home.path, *home.path.parents) if path.exists())
    if not place.is_dir() or not os.access(place, os.W_OK | os.X_OK):
        return Finding(
            "state folder · 상태 폴더",
            "missing",
            f"{home.path} cannot be written",
            "set GYEOL_HOME to a folder of yours",
        )
    free = shutil.disk_usage(place).free
    said = f"{free / GIB:.1f} GiB free at {home.path}"
    if free < 2 * GIB:
        return Finding("disk · 디스크", "missing", said, "free 2 GiB, or set GYEOL_HOME to another disk")
    return Finding("disk · 디스크", "ok", said)


def _port() -> Finding:
    if is_free(CONSOLE_PORT):
        return Finding("port · 포트", "ok", f"{CONSOLE_PORT} is free for the console")
    return Finding(
        "port · 포트", "note", f"{CONSOLE_PORT} is taken by {listener(CONSOLE_PORT)}", "the console takes another one"
    )


def _broker() -> Finding:
    try:
        return Finding("nats-server", "ok", str(broker.program()))
    except GyeolError as error:
        return Finding("nats-server", "missing", "not found", str(error))


def _packages() -> Finding:
    missing = []
    for name in PACKAGES:
        try:
            version(f"gyeol-{name}")
        except PackageNotFoundError:
            missing.append(f"gyeol-{name}")
    if missing:
        return Finding("packages · 패키지", "missing", ", ".join(missing), "make setup")
    return Finding("packages · 패키지", "ok", f"{len(PACKAGES)} deployables are installed")


def _pack() -> Finding:
    if found := packs():
        return Finding("culture packs · 문화 팩", "ok", f"{', '.join(found)} in {next(iter(found.values())).parent}")
    return Finding(
        "culture packs · 문화 팩",
        "missing",
        "none found",
        "work below a folder that has cultures/, or set POLICY_CULTURES to one",
    )


def _run(file: Path, home: Home) -> tuple[Finding, list[Endpoint]]:
    what = "run · 실행 명세"
    try:
        run = parse_alignment_run(file.read_bytes(), str(file), complaints)
        places = (file.absolute().parent / "models", Path.cwd() / "examples" / "models")
        endpoints = endpoints_of(run, home, places)
    except (SpecificationError, GyeolError, OSError) as error:
        return Finding(what, "missing", str(error)), []
    return Finding(what, "ok", str(file)), list(endpoints.values())


async def _endpoint(endpoint: Endpoint) -> Finding:
    trouble = await troubles([endpoint])
    return Finding(endpoint.name, "missing" if trouble else "ok", trouble[0] if trouble else endpoint.base_url)
