"""A culture pack as an OCI image layout on disk: content-addressed, the same bytes for the same pack.

Each file of the pack is a layer with its path as title, so that any OCI tool can pull it. The manifest's annotations repeat
what `pack.yaml` says of the pack. A signature is a manifest of its own whose subject is the pack's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gyeol.policy.errors import ImageInvalidError
from gyeol.policy.store.folder import INDEX_FOLDER
from gyeol.policy.store.index import ARTICLES, LAWS

ARTIFACT: Final = "application/vnd.gyeol.culture.v1"
SIGNATURE: Final = "application/vnd.gyeol.culture.signature.v1"
_FILE: Final = "application/vnd.gyeol.culture.file.v1"
_MANIFEST: Final = "application/vnd.oci.image.manifest.v1+json"
_INDEX: Final = "application/vnd.oci.image.index.v1+json"
_EMPTY: Final = "application/vnd.oci.empty.v1+json"
_TITLE: Final = "org.opencontainers.image.title"
_LAYOUT: Final = b'{"imageLayoutVersion":"1.0.0"}'


@dataclass(frozen=True)
class Image:
    layout: Path
    digest: str
    """Of the manifest, `sha256:<hex>`."""
    annotations: Mapping[str, str]
    files: Mapping[str, str]
    """Digest by path."""


def build(folder: Path, layout: Path, *, name: str, version: str, content_digest: str, licence: str) -> Image:
    """Packs a pack folder that was verified."""
    blobs = layout / "blobs" / "sha256"
    blobs.mkdir(parents=True, exist_ok=True)
    layers = [
        {**_put(blobs, path.read_bytes(), _FILE), "annotations": {_TITLE: str(path.relative_to(folder))}}
        for path in _files(folder)
    ]
    annotations = {
        "dev.gyeol.culture.name": name,
        "dev.gyeol.culture.digest": content_digest,
        "org.opencontainers.image.licenses": licence,
        "org.opencontainers.image.title": f"{name} culture pack",
        "org.opencontainers.image.version": version,
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "artifactType": ARTIFACT,
        "config": _put(blobs, b"{}", _EMPTY),
        "layers": layers,
        "annotations": annotations,
    }
    described = {
        **_put(blobs, _json(manifest), _MANIFEST),
        "artifactType": ARTIFACT,
        "annotations": {"org.opencontainers.image.ref.name": f"{name}-{version}"},
    }
    (layout / "oci-layout").write_bytes(_LAYOUT)
    _write_index(layout, [described])
    return read(layout)


def read(layout: Path) -> Image:
    """Reads a layout and checks the digest of everything in it.

    Raises:
      ImageInvalidError: It is no layout, holds not exactly one pack, or a file is damaged.
    """
    packs = [entry for entry in _entries(layout) if entry.get("artifactType") == ARTIFACT]
    if len(packs) != 1:
        raise ImageInvalidError(f"{layout} holds {len(packs)} culture packs: build one pack into a folder of its own")
    manifest = json.loads(blob(layout, packs[0]["digest"]))
    files = {layer["annotations"][_TITLE]: layer["digest"] for layer in manifest["layers"]}
    for digest in files.values():
        blob(layout, digest)
    return Image(layout, packs[0]["digest"], manifest["annotations"], files)


def unpack(image: Image, folder: Path) -> None:
    """Writes the files of a pack below `folder`.

    Raises:
      ImageInvalidError: A path leads out of the folder.
    """
    for name, digest in image.files.items():
        target = (folder / name).resolve()
        if not target.is_relative_to(folder.resolve()):
            raise ImageInvalidError(f"{image.layout}: the path {name!r} leads out of the pack: do not use this image")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(blob(image.layout, digest))


def attach(image: Image, payload: bytes, media_type: str, annotations: Mapping[str, str]) -> None:
    """Adds a manifest whose subject is the pack's, in place of an earlier one with the same annotations."""
    blobs = image.layout / "blobs" / "sha256"
    manifest = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "artifactType": media_type,
        "config": _put(blobs, b"{}", _EMPTY),
        "layers": [_put(blobs, payload, media_type)],
        "subject": {"mediaType": _MANIFEST, "digest": image.digest, "size": len(blob(image.layout, image.digest))},
        "annotations": dict(annotations),
    }
    described = {
        **_put(blobs, _json(manifest), _MANIFEST),
        "artifactType": media_type,
        "annotations": dict(annotations),
    }
    kept = [
        entry
        for entry in _entries(image.layout)
        if (entry.get("artifactType"), entry.get("annotations")) != (media_type, dict(annotations))
    ]
    _write_index(image.layout, [*kept, described])


def attached(image: Image, media_type: str) -> Iterator[bytes]:
    """Yields the payloads of manifests of a type whose subject is the pack's."""
    for entry in _entries(image.layout):
        if entry.get("artifactType") == media_type:
            manifest = json.loads(blob(image.layout, entry["digest"]))
            if manifest.get("subject", {}).get("digest") == image.digest:
                yield blob(image.layout, manifest["layers"][0]["digest"])


def blob(layout: Path, digest: str) -> bytes:
    """Returns a blob whose content has its digest.

    Raises:
      ImageInvalidError: It is missing or damaged.
    """
    _, _, name = digest.partition(":")
    try:
        content = (layout / "blobs" / "sha256" / name).read_bytes()
    except OSError:
        raise ImageInvalidError(f"{layout}: the blob {digest} is missing: build or copy the image again") from None
    if hashlib.sha256(content).hexdigest() != name:
        raise ImageInvalidError(f"{layout}: the blob {digest} is damaged: build or copy the image again")
    return content


def _files(folder: Path) -> list[Path]:
    kept = {".yaml", ".jsonl"}
    index = {folder / INDEX_FOLDER / name for name in (LAWS, ARTICLES)}
    return sorted(path for path in folder.rglob("*") if path.is_file() and (path.suffix in kept or path in index))


def _entries(layout: Path) -> list[dict[str, Any]]:
    try:
        entries: list[dict[str, Any]] = json.loads((layout / "index.json").read_text(encoding="utf-8"))["manifests"]
    except (OSError, ValueError, KeyError):
        raise ImageInvalidError(f"{layout} is no OCI image layout: make one with `gyeol pack build`") from None
    return entries


def _put(blobs: Path, content: bytes, media_type: str) -> dict[str, Any]:
    name = hashlib.sha256(content).hexdigest()
    (blobs / name).write_bytes(content)
    return {"mediaType": media_type, "digest": f"sha256:{name}", "size": len(content)}


def _write_index(layout: Path, entries: list[dict[str, Any]]) -> None:
    index = {"schemaVersion": 2, "mediaType": _INDEX, "manifests": entries}
    scratch = layout / "index.json.part"
    scratch.write_bytes(_json(index))
    scratch.replace(layout / "index.json")


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
