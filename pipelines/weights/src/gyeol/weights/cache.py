"""A folder of weights is made once and shared.

Whoever comes first makes it, in a folder beside its place, and moves it there as a whole.
Others wait for the lock and take what was made; a process that was killed leaves a folder nobody looks at.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from filelock import FileLock

from gyeol.weights import manifest
from gyeol.weights.errors import SourceError

Make = Callable[[Path], None]
"""Fills an empty folder, manifest included."""


def cache_folder(configured: Path | None) -> Path:
    """The configured folder, else `<GYEOL_CACHE>/weights`, else one in the home directory."""
    if configured is not None:
        return configured
    if root := os.environ.get("GYEOL_CACHE"):
        return Path(root) / "weights"
    return Path("~/.cache/gyeol/weights").expanduser()


def cached(cache: Path, key: str, make: Make, *, anew: bool) -> Path:
    """Returns the folder for a key, made when it is not there or damaged, or when it has to be made `anew`."""
    cache.mkdir(parents=True, exist_ok=True)
    place = cache / hashlib.sha256(key.encode()).hexdigest()[:32]
    with FileLock(f"{place}.lock"):
        if anew or manifest.whole(place) is None:
            _made(place, make)
    return place


def deliver(place: Path, output: Path) -> dict[str, Any]:
    """Puts a copy of a folder where it is wanted, unless it is there already; returns its manifest.

    Raises:
      SourceError: Something else is there.
    """
    wanted = manifest.whole(place)
    if wanted is None:
        raise SourceError(f"{place}: was changed by somebody else meanwhile; try again")
    output.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{output}.lock"):
        present = manifest.whole(output)
        if present is not None and present["digest"] == wanted["digest"] and present["uri"] == wanted["uri"]:
            return present
        if output.is_dir() and any(output.iterdir()) and not (output / manifest.NAME).exists():
            raise SourceError(f"--output {output}: holds files that are no model of ours; name an empty folder")
        _made(output, lambda scratch: _linked(place, scratch))
    return wanted


def _made(place: Path, make: Make) -> None:
    scratch = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.parent))
    try:
        make(scratch)
        scratch.chmod(0o755)
        old = scratch.with_name(f"{scratch.name}-old")
        if place.exists():
            place.rename(old)
        scratch.rename(place)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _linked(place: Path, scratch: Path) -> None:
    """Links files, which takes no room, or copies them where links do not reach; the manifest last."""
    names = sorted((path.name for path in place.iterdir()), key=lambda name: name == manifest.NAME)
    for name in names:
        try:
            (scratch / name).hardlink_to(place / name)
        except OSError:
            shutil.copyfile(place / name, scratch / name)
