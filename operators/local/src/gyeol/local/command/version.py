"""`gyeol version`: what is installed."""

from __future__ import annotations

import platform
from importlib.metadata import distributions

from gyeol.local.terminal import AsJson, console, emit


def version(as_json: AsJson = False) -> None:
    """What is installed. · 설치된 버전"""
    found = {
        str(one.metadata["Name"]): one.version
        for one in distributions()
        if str(one.metadata["Name"]).startswith("gyeol-")
    }
    if as_json:
        emit({"gyeol": found, "python": platform.python_version()})
        return
    out = console()
    for name, number in sorted(found.items()):
        out.print(f"{name} {number}", highlight=False)
    out.print(f"python {platform.python_version()}", highlight=False)
