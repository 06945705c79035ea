from __future__ import annotations

from pathlib import Path

import pytest

from gyeol.chassis.chat import load_endpoints
from gyeol.reconcile.document import parse_alignment_run

EXAMPLES = Path(__file__).parents[3] / "examples"
KEYS = {f"VENDOR_{letter}_KEY": "x" for letter in "ABC"}


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_example_is_a_run_named_like_its_file(file: Path) -> None:
    assert parse_alignment_run(file.read_bytes(), file.name).metadata.name == file.stem


@pytest.mark.parametrize("file", sorted((EXAMPLES / "models").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_models_file_can_be_read(file: Path) -> None:
    assert load_endpoints(file.parent, file.stem, KEYS)
