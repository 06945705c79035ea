"""CulturePack: a culture pack as the cluster knows it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from gyeol.reconcile.condition import Condition
from gyeol.reconcile.quantity import Count, CultureName, Digest, OptionalName
from gyeol.reconcile.rule import Rule
from gyeol.reconcile.schema import Described, Metadata


def _pack_address(value: str) -> str:
    if not value.startswith(("oci://", "configmap:", "pvc://")) or not value.split(":", 1)[1].strip("/"):
        raise ValueError("is not the address of a pack; start it with oci://, pvc:// or configmap:")
    return value


class PackSource(Described):
    """Where the pack comes from."""

    uri: Annotated[
        str,
        AfterValidator(_pack_address),
        Field(max_length=1024),
        Rule(
            "self.matches('^(oci://|pvc://|configmap:).')",
            "is not the address of a pack; start it with oci://, pvc:// or configmap:",
        ),
    ]
    """Address: `oci://` a signed artifact, `pvc://` a volume, `configmap:` a small pack."""
    digest: Digest = ""
    """Digest the pack must have; pinned when it is first read if empty."""
    public_key_ref: OptionalName = ""
    """Secret that holds, as `pack.pub`, the Ed25519 public key (PEM) that must have signed the image (`gyeol pack sign`); empty: none is asked for."""


class CulturePackSpec(Described):
    """Which pack is to be there."""

    culture: CultureName
    """Culture, for example `ko-KR`."""
    source: PackSource
    """Where it comes from."""


class CulturePackStatus(Described):
    """Status of a CulturePack."""

    observed_generation: Count = 0
    """Generation of the specification this status describes."""
    digest: str = ""
    """Digest of the pack as it was read."""
    version: str = ""
    """Version written in the pack."""
    law_as_of: str = ""
    """Date of its statutes."""
    review_by: str = ""
    """Date by which it is to be reviewed."""
    signature: Literal["", "Verified", "Unverified", "Invalid"] = ""
    """`Verified`: the owner of the key signed the pack that is served. `Invalid`: he did not. `Unverified`: none was asked for, or it cannot be checked."""
    conditions: Annotated[tuple[Condition, ...], Field(max_length=16)] = ()
    """`Verified`: every reference resolves, and the signature that is asked for fits. `Current`: no review date has passed (the opposite of stale)."""


class CulturePack(Described):
    """A culture pack and whether it can be relied on."""

    api_version: Literal["gyeol.dev/v1alpha1"]
    """Always `gyeol.dev/v1alpha1`."""
    kind: Literal["CulturePack"]
    """Always `CulturePack`."""
    metadata: Metadata
    """Name and labels."""
    spec: CulturePackSpec
    """Which pack is to be there."""
    status: CulturePackStatus = Field(default=CulturePackStatus())
    """What is known about it."""
