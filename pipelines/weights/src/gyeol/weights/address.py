"""Addresses of models.

| address                           | where the weights are                                            |
|-----------------------------------|------------------------------------------------------------------|
| `builtin:tiny-ko`                 | trained here, from the culture pack                               |
| `hf://OWNER/NAME@REVISION`        | a Hugging Face repository; without revision the newest is pinned |
| `file:///FOLDER`, `file://x.gguf` | this machine                                                      |
| `gguf:FILE`                       | one GGUF file, dequantised                                        |
| `pvc://CLAIM/PATH`                | a volume mounted at `<GYEOL_VOLUMES or /mnt/models>/CLAIM`        |
| `s3://BUCKET/PREFIX`              | an object store; also `gs://` and `az://`                         |
| `oci:///LAYOUT[:TAG]`             | an OCI image layout on disk                                       |
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gyeol.weights.errors import AddressError

SCHEMES: Final = ("builtin", "hf", "file", "gguf", "pvc", "s3", "gs", "az", "oci")
_VOLUMES: Final = "/mnt/models"


@dataclass(frozen=True)
class Address:
    """An address, taken apart."""

    uri: str
    """As given."""
    scheme: str
    """One of `SCHEMES`."""
    place: str
    """What follows the scheme, without the revision."""
    revision: str = ""
    """Commit, tag or branch; empty: the newest."""

    @property
    def path(self) -> Path:
        """Where the place is on this machine."""
        if self.scheme == "pvc":
            return Path(os.environ.get("GYEOL_VOLUMES", _VOLUMES)) / self.place
        return Path(self.place).expanduser()


def address(uri: str) -> Address:
    """Takes an address apart.

    Raises:
      AddressError: It names no known scheme, or nothing behind it.
    """
    scheme, colon, place = uri.partition(":")
    if not colon or scheme not in SCHEMES:
        raise AddressError(
            f"{uri!r} is no model address: start it with one of {', '.join(SCHEMES)}, as in builtin:tiny-ko"
        )
    place = place.removeprefix("//")
    revision = ""
    if scheme == "hf":
        place, _, revision = place.partition("@")
        if place.count("/") != 1 or not all(place.split("/")):
            raise AddressError(f"{uri!r}: a Hugging Face address is hf://OWNER/NAME@REVISION")
    if scheme == "oci":
        place, revision = _tagged(place)
    if not place:
        raise AddressError(f"{uri!r} names nothing behind {scheme}:")
    if scheme == "pvc" and ".." in place.split("/"):
        raise AddressError(f"{uri!r}: a path in a volume has no `..`")
    return Address(uri, scheme, place, revision)


def _tagged(place: str) -> tuple[str, str]:
    """Splits `path:tag`, where a colon before the last slash belongs to a host's port."""
    head, slash, tail = place.rpartition("/")
    name, _, tag = tail.partition(":")
    return head + slash + name, tag
