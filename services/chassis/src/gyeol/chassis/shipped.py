"""Data files that another distribution ships. They are read as data: deployables do not import each other."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def files(package: str, folder: str, prefix: Path = Path(sys.prefix)) -> dict[str, Path]:
    """The YAML files in a folder of a package, by name; none when nobody has them.

    An image holds one deployable; there the files lie in `<prefix>/share/gyeol/<folder>`.
    """
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec is not None else None
    found = [Path(place) / folder for place in places or ()]
    for place in (*found, prefix / "share" / "gyeol" / folder):
        if files := {file.stem: file for file in sorted(place.glob("*.yaml"))}:
            return files
    return {}
