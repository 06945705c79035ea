"""An OCI image layout on disk.

Understood are artifacts whose layers are single files with a title, and images whose layers are tar archives
(as KServe's model images are, with the weights below `models/`).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tarfile
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from gyeol.weights.address import Address
from gyeol.weights.errors import DamagedError, SourceError
from gyeol.weights.licence import licence
from gyeol.weights.source.port import WANTED, Origin, Say

_TITLE = "org.opencontainers.image.title"
_TAG = "org.opencontainers.image.ref.name"


class LayoutSource:
    """Unpacks the layers of one manifest; every blob's digest is checked."""

    def __init__(self, address: Address) -> None:
        self._uri = address.uri
        self._tag = address.revision
        self._path = address.path

    def revision(self) -> str:
        """Digest of the manifest."""
        return str(self._descriptor()["digest"])

    def fetch(self, folder: Path, say: Say) -> Origin:
        descriptor = self._descriptor()
        manifest = self._json(self._blob(descriptor["digest"]))
        for layer in manifest.get("layers", ()):
            blob = self._blob(layer["digest"])
            say("unpacking", layer=layer["digest"], bytes=layer.get("size", 0))
            title = layer.get("annotations", {}).get(_TITLE)
            if title and not str(layer.get("mediaType", "")).endswith(("tar", "tar+gzip", "tar.gzip")):
                if _wanted(title):
                    shutil.copyfile(blob, folder / PurePosixPath(title).name)
            else:
                self._unpack(blob, folder)
        return Origin(str(descriptor["digest"]), licence(folder))

    def _descriptor(self) -> Any:
        if not (self._path / "oci-layout").is_file():
            raise SourceError(
                f"{self._uri}: is no OCI image layout on this machine, and registries are not read here; "
                f"copy it first: skopeo copy docker://IMAGE oci:{self._path}:TAG"
            )
        listed = self._json(self._path / "index.json").get("manifests", [])
        fitting = [one for one in listed if not self._tag or one.get("annotations", {}).get(_TAG) == self._tag]
        if len(fitting) != 1:
            tags = ", ".join(str(one.get("annotations", {}).get(_TAG, "untagged")) for one in listed) or "nothing"
            raise SourceError(f"{self._uri}: the layout holds {tags}; name one of them as oci://{self._path}:TAG")
        return fitting[0]

    def _blob(self, digest: str) -> Path:
        algorithm, _, value = str(digest).partition(":")
        path = self._path / "blobs" / algorithm / value
        if algorithm != "sha256" or "/" in value or not path.is_file():
            raise DamagedError(f"{self._uri}: blob {digest} is missing; copy the layout again")
        with path.open("rb") as stream:
            if hashlib.file_digest(stream, "sha256").hexdigest() != value:
                raise DamagedError(f"{self._uri}: blob {digest} is damaged; copy the layout again")
        return path

    def _json(self, path: Path) -> Any:
        try:
            return json.loads(path.read_bytes())
        except (OSError, ValueError) as error:
            raise DamagedError(f"{self._uri}: {path.name} cannot be read ({error}); copy the layout again") from error

    def _unpack(self, blob: Path, folder: Path) -> None:
        """Takes the wanted files of an archive; their folders inside it do not matter."""
        try:
            with tarfile.open(blob, "r:*") as archive:
                for member in archive:
                    content = archive.extractfile(member) if member.isfile() and _wanted(member.name) else None
                    if content is not None:
                        with (folder / PurePosixPath(member.name).name).open("wb") as target:
                            shutil.copyfileobj(content, target)
        except tarfile.TarError as error:
            raise DamagedError(f"{self._uri}: layer {blob.name} is no tar archive ({error})") from error


def _wanted(name: str) -> bool:
    return any(fnmatch(PurePosixPath(name).name, pattern) for pattern in WANTED)
