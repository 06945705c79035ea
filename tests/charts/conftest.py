"""Helm as a fixture. Rendering needs no cluster."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.helm import Helm, Manifest, helm

Rendering = Callable[..., list[Manifest]]


@pytest.fixture(scope="session")
def tool() -> Helm:
    return helm()


@pytest.fixture(scope="session", params=["default", "ci", "external"])
def world(request: pytest.FixtureRequest, tool: Helm) -> list[Manifest]:
    """Everything that the chart renders: on a bare cluster, with everything switched on, with everything of one's own."""
    return tool.world(request.param)
