"""Imports libraries without optional parts that no service uses.

nats-py loads aiohttp for WebSockets and structlog loads rich for coloured tracebacks: together 12 MB and a third of the
start time of every service.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def without(module: str) -> Iterator[None]:
    """Makes a module look uninstalled while others are imported, unless it is loaded already."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[module]
