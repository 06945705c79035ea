"""What holds for every test."""

from __future__ import annotations

import signal

import pytest

# A shell that starts the tests in the background has SIGINT ignored, and every process that a test starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The journeys take longest: they begin first, so that nobody waits for them at the end."""
    items.sort(key=lambda item: "journeys" not in item.path.parts)
