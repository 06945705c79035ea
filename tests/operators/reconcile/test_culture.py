from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from gyeol.reconcile.culture import ServedPack, Signature, decide_pack
from gyeol.reconcile.document import parse_culture_pack
from support.world import DIGEST, NOON

OTHER = "sha256:" + "1" * 64
SERVED = ServedPack(DIGEST, "1.0.0", "2026-06-05")


def pack(more: str = "", **status: Any) -> Any:
    text = f"apiVersion: gyeol.dev/v1alpha1\nkind: CulturePack\nmetadata: {{name: ko-kr}}\nspec:\n  culture: ko-KR\n  source: {{uri: 'oci://x/y'{more}}}\n"
    one = parse_culture_pack(text, "c.yaml")
    return one.model_copy(update={"status": one.status.model_copy(update=status)})


KEYED = pack(", publicKeyRef: key")
PACKS = {
    "served, current": (pack(), SERVED, None, NOON, ("True", "Verified"), ("True", "Current")),
    "nothing is served": (pack(), None, None, NOON, ("False", "PackMissing"), ("Unknown", "PackMissing")),
    "another one is served": (pack(f", digest: '{OTHER}'"), SERVED, None, NOON, ("False", "OtherPack"), ("True", "Current")),
    "it changed since it was pinned": (pack(digest=OTHER), SERVED, None, NOON, ("False", "OtherPack"), ("True", "Current")),
    "its owner signed it": (KEYED, SERVED, Signature("Verified", "by k"), NOON, ("True", "SignatureVerified"), ("True", "Current")),
    "somebody else signed it": (KEYED, SERVED, Signature("Invalid", "by x"), NOON, ("False", "SignatureInvalid"), ("True", "Current")),
    "nobody can tell who signed it": (KEYED, SERVED, Signature("Unverified", "?"), NOON, ("Unknown", "SignatureUnverified"), ("True", "Current")),
    "another one is served than was signed": (pack(f", digest: '{OTHER}', publicKeyRef: key"), SERVED, Signature("Verified", ""), NOON, ("False", "OtherPack"), ("True", "Current")),
    "its law is old": (pack(), SERVED, None, datetime(2028, 1, 1, tzinfo=UTC), ("True", "Verified"), ("False", "ReviewDue")),
}  # fmt: skip


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_is_relied_on_only_when_it_is_the_named_one_signed_as_asked_and_not_too_old(name: str) -> None:
    one, served, signature, now, verified, current = PACKS[name]
    status, events = decide_pack(one, served, signature, now)
    assert {each.type: (each.status, each.reason) for each in status.conditions} == {
        "Verified": verified,
        "Current": current,
    }
    assert events
    assert status.signature == (signature.state if signature else "Unverified")
    again, told = decide_pack(one.model_copy(update={"status": status}), served, signature, now)
    assert (again, told) == (status, ())
