"""OCI images of culture packs, as far as a signature needs them: manifests, what refers to them, and small blobs.

`gyeol pack build` and `gyeol pack sign` make them; a registry or a folder holds them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from gyeol.cluster.errors import ImageDamagedError, ImageUnreadableError

ARTIFACT = "application/vnd.gyeol.culture.v1"
SIGNATURE = "application/vnd.gyeol.culture.signature.v1"
LIMIT = 4 * 1024 * 1024
"""Bytes of a manifest or blob that is read; layers of packs are not."""


class Image(Protocol):
    """Where an image lies.

    Raises:
      ImageUnreadableError: every method, when it cannot be read now.
      ImageDamagedError: every method, when content has not its digest.
    """

    async def manifest(self, digest: str = "") -> bytes:
        """The image's manifest, or another one beside it by digest."""
        ...

    async def referring(self, digest: str, /) -> list[str]:
        """Digests of the signature manifests that may refer to a manifest; each says itself to which."""
        ...

    async def blob(self, digest: str) -> bytes:
        """A small blob."""
        ...


class Layout:
    """An OCI image layout in a folder.

    Args:
      folder: The layout.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def manifest(self, digest: str = "") -> bytes:
        if digest:
            return await self.blob(digest)
        packs = [one["digest"] for one in self._entries() if one.get("artifactType") == ARTIFACT]
        if len(packs) != 1:
            raise ImageUnreadableError(
                f"the layout holds {len(packs)} culture packs; put one pack into a folder of its own"
            )
        return await self.blob(packs[0])

    async def referring(self, _: str) -> list[str]:
        return [str(one["digest"]) for one in self._entries() if one.get("artifactType") == SIGNATURE]

    async def blob(self, digest: str) -> bytes:
        path = self._folder / "blobs" / "sha256" / digest.removeprefix("sha256:")
        try:
            if path.stat().st_size > LIMIT:
                raise ImageUnreadableError(f"{digest} is larger than {LIMIT} bytes")
            return checked(path.read_bytes(), digest)
        except OSError as error:
            raise ImageUnreadableError(f"{digest} cannot be read: {error.strerror}; copy the image again") from None

    def _entries(self) -> list[Mapping[str, Any]]:
        try:
            return entries((self._folder / "index.json").read_bytes())
        except OSError:
            raise ImageUnreadableError("there is no OCI image layout; make one with `gyeol pack build`") from None


def entries(index: bytes) -> list[Mapping[str, Any]]:
    """What an index lists.

    Raises:
      ImageUnreadableError: It is none.
    """
    try:
        found = json.loads(index)["manifests"]
        return [one for one in found if isinstance(one, Mapping) and str(one.get("digest", "")).startswith("sha256:")]
    except (ValueError, KeyError, TypeError):
        raise ImageUnreadableError("the index of the image is none; copy the image again") from None


def checked(content: bytes, digest: str) -> bytes:
    """The content, if it has its digest.

    Raises:
      ImageDamagedError: It has another one.
    """
    if digest != digest_of(content):
        raise ImageDamagedError(f"what is served as {digest} has digest {digest_of(content)}; do not use this image")
    return content


def digest_of(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()
