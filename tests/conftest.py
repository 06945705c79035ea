"""What holds for every test."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The journeys take longest: they begin first, so that nobody waits for them at the end."""
    items.sort(key=lambda item: "journeys" not in item.path.parts)
