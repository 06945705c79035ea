"""Answers of models kept in a folder, so that another evaluation of the same model asks nothing twice."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


class FolderCache:
    """A `KeyValue` store of the chassis over plain files; the first writer of a key wins."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder

    async def get(self, key: str) -> bytes | None:
        try:
            return self._path(key).read_bytes()
        except FileNotFoundError:
            return None

    async def create(self, key: str, value: bytes) -> bytes:
        path = self._path(key)
        path.parent.mkdir(exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(value)
        try:
            os.link(partial, path)  # unlike a rename, fails when somebody was first
        except FileExistsError:
            return path.read_bytes()
        finally:
            os.unlink(partial)  # noqa: PTH108 - Path.unlink is one call deeper and no better here
        return value

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key
