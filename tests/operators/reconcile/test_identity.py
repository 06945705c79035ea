from __future__ import annotations

import json

from gyeol.reconcile.identity import canonical, run_id, spec_digest
from support.world import aligned


def test_a_changed_specification_under_the_same_name_is_another_run() -> None:
    one, other = aligned(), aligned(lambda text: text.replace("epochs: 1", "epochs: 2"))
    assert run_id(one).startswith("ko-test-")
    assert run_id(one) != run_id(other)
    assert spec_digest(one.spec) != spec_digest(other.spec)


def test_comments_order_and_written_out_defaults_do_not_change_a_run() -> None:
    other = aligned(
        lambda text: "# a comment\n" + text.replace("review: None", "decision: Unanimous\n    review: None")
    )
    assert run_id(other) == run_id(aligned())


def test_labels_do_not_change_a_run() -> None:
    labelled = aligned(lambda text: text.replace("{name: ko-test}", "{name: ko-test, labels: {team: x}}"))
    assert run_id(labelled) == run_id(aligned())


def test_the_canonical_text_uses_the_names_of_the_file() -> None:
    assert json.loads(canonical(aligned().spec))["data"]["target"]["acceptedPerStratum"] == 10
