"""An object store, read through the same library whatever its kind."""

from __future__ import annotations

import json
from pathlib import Path

import obstore
import pytest
from obstore.store import LocalStore, MemoryStore

from gyeol.weights import manifest
from gyeol.weights.address import address
from gyeol.weights.errors import ReachError, SourceError
from gyeol.weights.job import get
from gyeol.weights.source.bucket import BucketSource, bucket_source

URI = "s3://models/tiny"


def silent(event: str, **fields: object) -> None:
    pass


def filled(weights: Path) -> MemoryStore:
    store = MemoryStore()
    for path in weights.iterdir():
        obstore.put(store, path.name, path.read_bytes())
    obstore.put(store, "checkpoints/model.safetensors", b"older")
    obstore.put(store, "train.py", b"raise SystemExit")
    return store


def test_the_objects_below_the_prefix_are_fetched(weights: Path, tmp_path: Path) -> None:
    made = get(address(URI), BucketSource(URI, filled(weights)), tmp_path / "out", tmp_path / "cache", silent)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {path.name for path in weights.iterdir()} | {"manifest.json"}
    assert made["digest"] == manifest.digest(manifest.hashes(weights))


def test_unchanged_objects_are_fetched_once(weights: Path, tmp_path: Path) -> None:
    events: list[str] = []
    store = filled(weights)
    for number in range(2):
        get(
            address(URI),
            BucketSource(URI, store),
            tmp_path / f"out{number}",
            tmp_path / "cache",
            lambda event, **_: events.append(event),
        )
    assert events.count("fetching") == 1


def test_a_changed_object_is_fetched_anew(weights: Path, tmp_path: Path) -> None:
    store = filled(weights)
    first = get(address(URI), BucketSource(URI, store), tmp_path / "out", tmp_path / "cache", silent)
    config = json.loads((weights / "config.json").read_text())
    obstore.put(store, "config.json", json.dumps(config | {"rope_theta": 5000.0}).encode())
    second = get(address(URI), BucketSource(URI, store), tmp_path / "out", tmp_path / "cache", silent)
    assert second["digest"] != first["digest"]
    assert json.loads((tmp_path / "out" / "config.json").read_text())["rope_theta"] == 5000.0


def test_a_prefix_without_weights_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="holds no"):
        BucketSource(URI, LocalStore(tmp_path)).revision()


def test_a_store_that_does_not_answer_is_tried_again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "ap-northeast-2")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "y")
    with pytest.raises(ReachError, match="cannot be listed"):
        bucket_source(URI).revision()
