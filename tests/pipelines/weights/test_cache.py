"""Made once, whole or not at all."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from gyeol.weights import manifest
from gyeol.weights.cache import cached
from gyeol.weights.inspection import Findings
from gyeol.weights.source.port import Origin


def fill(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"weights")
    manifest.write(folder, manifest.manifest("x:", folder, Origin("r"), Findings(1, "", 0, False)))


def test_those_who_come_at_once_share_one_making(tmp_path: Path) -> None:
    made: list[float] = []

    def slow(folder: Path) -> None:
        time.sleep(0.2)
        made.append(time.monotonic())
        fill(folder)

    places: list[Path] = []
    threads = [
        threading.Thread(target=lambda: places.append(cached(tmp_path, "key", slow, anew=False))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert len(set(places)) == 1


def test_what_breaks_off_leaves_nothing_behind(tmp_path: Path) -> None:
    def half(folder: Path) -> None:
        (folder / "model.safetensors").write_bytes(b"wei")
        raise OSError("no space left on device")

    with pytest.raises(OSError, match="no space left"):
        cached(tmp_path, "key", half, anew=False)
    assert [path.suffix for path in tmp_path.iterdir()] == [".lock"]
    assert manifest.whole(cached(tmp_path, "key", fill, anew=False)) is not None


def test_a_folder_without_a_manifest_is_made_again(tmp_path: Path) -> None:
    place = cached(tmp_path, "key", fill, anew=False)
    (place / "manifest.json").unlink()
    again = cached(tmp_path, "key", fill, anew=False)
    assert manifest.whole(again) is not None


def test_one_flipped_bit_makes_a_folder_anew(tmp_path: Path) -> None:
    place = cached(tmp_path, "key", fill, anew=False)
    (place / "model.safetensors").write_bytes(b"weighus")
    assert manifest.whole(place) is None
    assert (cached(tmp_path, "key", fill, anew=False) / "model.safetensors").read_bytes() == b"weights"
