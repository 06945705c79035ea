"""Folders of weights that the tests share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import tiny_model


@pytest.fixture(scope="session")
def _weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tiny_model.write(tmp_path_factory.mktemp("weights"))
    (folder / "manifest.json").unlink()
    (folder / "README.md").write_text("---\nlicense: apache-2.0\n---\n# Tiny\n", encoding="utf-8")
    return folder


@pytest.fixture
def weights(_weights: Path, tmp_path: Path) -> Path:
    """A folder of a real model, without manifest, that the test may spoil."""
    folder = tmp_path / "model"
    folder.mkdir()
    for path in _weights.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]):
    """What a job said so far, as events."""
    return lambda: [json.loads(line) for line in capsys.readouterr().out.splitlines()]
