"""OCI image layouts: artifacts of single files, and images with the weights below models/."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from gyeol.weights.__main__ import main


class Layout:
    """Writes an image layout as registries and copying tools do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "blobs" / "sha256").mkdir(parents=True)
        (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
        self._manifests: list[Any] = []

    def blob(self, content: bytes) -> dict[str, Any]:
        value = hashlib.sha256(content).hexdigest()
        (self.folder / "blobs" / "sha256" / value).write_bytes(content)
        return {"digest": f"sha256:{value}", "size": len(content)}

    def tag(self, name: str, layers: list[dict[str, Any]]) -> None:
        described = self.blob(json.dumps({"schemaVersion": 2, "layers": layers}).encode())
        self._manifests.append(described | {"annotations": {"org.opencontainers.image.ref.name": name}})
        (self.folder / "index.json").write_text(json.dumps({"manifests": self._manifests}))


def artifact(layout: Layout, weights: Path) -> list[dict[str, Any]]:
    return [
        layout.blob(path.read_bytes())
        | {"mediaType": "application/octet-stream", "annotations": {"org.opencontainers.image.title": path.name}}
        for path in sorted(weights.iterdir())
    ]


def image(layout: Layout, weights: Path) -> list[dict[str, Any]]:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path in sorted(weights.iterdir()):
            archive.add(path, f"models/{path.name}")
        escape = tarfile.TarInfo("../../LICENSE")
        archive.addfile(escape, io.BytesIO(b""))
    return [layout.blob(buffer.getvalue()) | {"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip"}]


def get(uri: str, tmp_path: Path) -> int:
    return main(["get", uri, "--output", str(tmp_path / "out"), "--cache", str(tmp_path / "cache")])


def test_an_artifact_is_unpacked(weights: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "layout")
    layout.tag("v1", artifact(layout, weights))
    assert get(f"oci://{layout.folder}:v1", tmp_path) == 0
    assert (tmp_path / "out" / "model.safetensors").read_bytes() == (weights / "model.safetensors").read_bytes()


def test_nothing_of_an_image_lands_outside_the_folder(weights: Path, tmp_path: Path) -> None:
    layout = Layout(tmp_path / "layout")
    layout.tag("v1", image(layout, weights))
    assert get(f"oci://{layout.folder}:v1", tmp_path) == 0
    assert (tmp_path / "out" / "config.json").read_bytes() == (weights / "config.json").read_bytes()
    assert not (tmp_path / "LICENSE").exists()
    assert not (tmp_path.parent / "LICENSE").exists()


def test_an_altered_blob_is_refused(weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = Layout(tmp_path / "layout")
    layers = artifact(layout, weights)
    layout.tag("v1", layers)
    blob = layout.folder / "blobs" / "sha256" / layers[-1]["digest"].removeprefix("sha256:")
    content = bytearray(blob.read_bytes())
    content[-1] ^= 1
    blob.write_bytes(content)
    assert get(f"oci://{layout.folder}:v1", tmp_path) == 2
    assert "is damaged" in capsys.readouterr().err


def test_the_tag_is_named_when_there_are_several(
    weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = Layout(tmp_path / "layout")
    for name in ("v1", "v2"):
        layout.tag(name, artifact(layout, weights))
    assert get(f"oci://{layout.folder}", tmp_path) == 2
    assert "v1, v2" in capsys.readouterr().err
