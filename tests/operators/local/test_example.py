from __future__ import annotations

from decimal import Decimal
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


def test_the_example_of_over_refusal_differs_from_the_quickstart_in_what_teaches_a_model_to_refuse() -> None:
    """No benign pairs, few refusals, all weights: what is measured and by which gate is the same."""
    lesson, quickstart = (
        parse_alignment_run((EXAMPLES / f"{name}.yaml").read_bytes(), name).spec
        for name in ("ko-overrefusal", "ko-quickstart")
    )
    assert Decimal(lesson.data.benign_share) == 0 < Decimal(quickstart.data.benign_share)
    assert lesson.data.target.accepted_per_stratum < quickstart.data.target.accepted_per_stratum
    assert lesson.training.method == "Full"
    assert lesson.base_model == quickstart.base_model
    assert (lesson.evaluation, lesson.gate) == (quickstart.evaluation, quickstart.gate)
