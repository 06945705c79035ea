"""Addresses of models, taken apart at the border."""

from __future__ import annotations

from pathlib import Path

import pytest

from gyeol.reconcile.quantity import MODEL_SCHEMES
from gyeol.weights.address import SCHEMES, address
from gyeol.weights.errors import AddressError


@pytest.mark.parametrize(
    ("uri", "scheme", "place", "revision"),
    [
        ("builtin:tiny-ko", "builtin", "tiny-ko", ""),
        ("hf://skt/kogpt2@0123abc", "hf", "skt/kogpt2", "0123abc"),
        ("hf://skt/kogpt2", "hf", "skt/kogpt2", ""),
        ("gguf:/models/x.gguf", "gguf", "/models/x.gguf", ""),
        ("file:///models/x", "file", "/models/x", ""),
        ("s3://bucket/models/x", "s3", "bucket/models/x", ""),
        ("oci:///layouts/x:v1", "oci", "/layouts/x", "v1"),
        ("oci://registry:5000/team/x:v1", "oci", "registry:5000/team/x", "v1"),
    ],
)
def test_an_address_has_a_scheme_a_place_and_perhaps_a_revision(
    uri: str, scheme: str, place: str, revision: str
) -> None:
    found = address(uri)
    assert (found.scheme, found.place, found.revision) == (scheme, place, revision)


@pytest.mark.parametrize(
    "uri", ["tiny-ko", "http://x/y", "builtin:", "hf://just-a-name", "hf://a/b/c", "pvc://x/../y", ""]
)
def test_what_is_no_address_is_refused_by_name(uri: str) -> None:
    with pytest.raises(AddressError) as refused:
        address(uri)
    assert repr(uri) in str(refused.value)


def test_a_volume_is_found_where_it_is_mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GYEOL_VOLUMES", "/volumes")
    assert address("pvc://models/qwen").path == Path("/volumes/models/qwen")


def test_every_scheme_that_a_run_may_name_is_known() -> None:
    assert {scheme.partition(":")[0] for scheme in MODEL_SCHEMES} <= set(SCHEMES)
