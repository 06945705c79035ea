"""Folders and object stores behave alike, and a file is there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from gyeol.ledger.errors import FieldInvalidError, StorageNotReadyError
from gyeol.ledger.store.archive import Archive, Bucket, Folder, archive


@pytest.fixture(params=["folder", "object store"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Archive:
    (tmp_path / "one").mkdir()
    # The object store's own client, on its local backend.
    return Folder(tmp_path / "one") if request.param == "folder" else Bucket(f"file://{tmp_path / 'one'}")


async def test_files_are_written_read_listed_and_deleted(place: Archive, tmp_path: Path) -> None:
    assert await place.read("manifest.json") is None
    await place.write("data/b.parquet", b"2")
    await place.write("data/a.parquet", b"0")
    await place.write("data/a.parquet", b"1")
    await place.write("manifest.json", b"{}")
    assert await place.read("data/a.parquet") == b"1"
    assert await place.paths("data/") == ["data/a.parquet", "data/b.parquet"]
    await place.delete("data/b.parquet")
    assert await place.paths("") == ["data/a.parquet", "manifest.json"]
    assert sorted(path.name for path in (tmp_path / "one").rglob("*") if path.is_file()) == [
        "a.parquet",
        "manifest.json",
    ]


async def test_a_place_that_cannot_be_written_is_not_ready(place: Archive, tmp_path: Path) -> None:
    (tmp_path / "one").rmdir()
    (tmp_path / "one").write_text("a file where the folder should be")
    with pytest.raises(StorageNotReadyError, match="cannot be used"):
        await place.write("data/a.parquet", b"1")


@pytest.mark.parametrize("location", ["", "relative", "http://host/x", "memory:///"])
def test_only_places_that_last_are_accepted(location: str) -> None:
    with pytest.raises(FieldInvalidError, match="location="):
        archive(location)


def test_a_file_url_is_a_folder() -> None:
    assert archive("file:///var/lib/gyeol%20data").location == "/var/lib/gyeol data"
    assert archive("s3://bucket/folder/").location == "s3://bucket/folder"
