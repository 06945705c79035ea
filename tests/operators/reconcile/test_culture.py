from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gyeol.reconcile.culture import ServedPack, decide_pack
from gyeol.reconcile.document import parse_culture_pack
from support.world import DIGEST, NOON

OTHER = "sha256:" + "1" * 64
SERVED = ServedPack(DIGEST, "1.0.0", "2026-06-05")


def pack(more: str = "", **status: Any) -> Any:
    text = f"apiVersion: gyeol.dev/v1alpha1\nkind: CulturePack\nmetadata: {{name: ko-kr}}\nspec:\n  culture: ko-KR\n  source: {{uri: 'oci://x/y'{more}}}\n"
    one = parse_culture_pack(text, "c.yaml")
    return one.model_copy(update={"status": one.status.model_copy(update=status)})


PACKS = {
    "served, current": (pack(), SERVED, NOON, ("True", "Verified"), ("True", "Current")),
    "nothing is served": (pack(), None, NOON, ("False", "PackMissing"), ("Unknown", "PackMissing")),
    "another one is served": (pack(f", digest: '{OTHER}'"), SERVED, NOON, ("False", "OtherPack"), ("True", "Current")),
    "it changed since it was pinned": (pack(digest=OTHER), SERVED, NOON, ("False", "OtherPack"), ("True", "Current")),
    "a signature is asked for": (pack(", publicKeyRef: key"), SERVED, NOON, ("False", "SignatureUnverified"), ("True", "Current")),
    "its law is old": (pack(), SERVED, datetime(2028, 1, 1, tzinfo=UTC), ("True", "Verified"), ("False", "ReviewDue")),
}  # fmt: skip


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_relied_on_only_when_it_is_the_named_one_and_not_too_old(name: str) -> None:
    one, served, now, verified, current = PACKS[name]
    status, events = decide_pack(one, served, now)
    assert {each.type: (each.status, each.reason) for each in status.conditions} == {
        "Verified": verified,
        "Current": current,
    }
    assert events
    assert status.signature == "Unverified"
    again, told = decide_pack(one.model_copy(update={"status": status}), served, now)
    assert (again, told) == (status, ())
