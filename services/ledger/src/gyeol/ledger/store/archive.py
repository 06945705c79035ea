"""Places that sealed files are kept in: a folder, or an object store by URL.

A file appears whole or not at all: in a folder it is written aside, synced and renamed; an object store does so by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from gyeol.ledger.errors import FieldInvalidError, StorageNotReadyError

_SCHEMES = ("s3", "s3a", "gs", "az", "abfs", "abfss")


class Archive(Protocol):
    location: str
    """As stored and shown: an absolute path or a URL."""

    async def read(self, path: str) -> bytes | None:
        """A file's bytes; None when it does not exist."""
        ...

    async def write(self, path: str, content: bytes) -> None: ...

    async def paths(self, prefix: str) -> list[str]: ...

    async def delete(self, path: str) -> None: ...


def archive(location: str) -> Archive:
    """The place a location names.

    Raises:
      FieldInvalidError: It is neither an absolute path nor a URL of a known kind.
    """
    scheme = urlsplit(location).scheme
    if scheme == "file":
        return Folder(Path(unquote(urlsplit(location).path)))
    if scheme in _SCHEMES:
        return Bucket(location)
    if not scheme and Path(location).is_absolute():
        return Folder(Path(location))
    raise FieldInvalidError(
        "location",
        location,
        "not a place that files can be kept in",
        f"Use an absolute path, file:// or {_SCHEMES[0]}://.",
    )


class Folder:
    """A folder of this machine or of a mounted volume."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.location = str(root)

    async def read(self, path: str) -> bytes | None:
        try:
            return await asyncio.to_thread((self._root / path).read_bytes)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _not_ready(self.location, error) from error

    async def write(self, path: str, content: bytes) -> None:
        try:
            await asyncio.to_thread(_replace, self._root / path, content)
        except OSError as error:
            raise _not_ready(self.location, error) from error

    async def paths(self, prefix: str) -> list[str]:
        files = await asyncio.to_thread(lambda: [path for path in self._root.rglob("*") if path.is_file()])
        found = sorted(path.relative_to(self._root).as_posix() for path in files)
        return [path for path in found if path.startswith(prefix)]

    async def delete(self, path: str) -> None:
        await asyncio.to_thread((self._root / path).unlink, missing_ok=True)


class Bucket:
    """A folder in an object store. Credentials come from the environment, as the store's own tools read them."""

    def __init__(self, url: str) -> None:
        from obstore.store import from_url

        self.location = url.rstrip("/")
        try:
            self._store: Any = from_url(self.location)
        except Exception as error:
            raise FieldInvalidError(
                "location", url, f"not usable ({str(error).splitlines()[0]})", "Check the URL and the store's settings."
            ) from None

    async def read(self, path: str) -> bytes | None:
        import obstore

        with _store_failure(self.location):
            try:
                found = await obstore.get_async(self._store, path)
            except FileNotFoundError:
                return None
            return bytes(await found.bytes_async())

    async def write(self, path: str, content: bytes) -> None:
        import obstore

        with _store_failure(self.location):
            await obstore.put_async(self._store, path, content)

    async def paths(self, prefix: str) -> list[str]:
        import obstore

        with _store_failure(self.location):
            listed = await obstore.list(self._store, prefix=prefix or None).collect_async()
        return sorted(item["path"] for item in listed)

    async def delete(self, path: str) -> None:
        import obstore

        with _store_failure(self.location):
            await obstore.delete_async(self._store, path)


def _replace(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    descriptor, aside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(aside).chmod(0o644)
        Path(aside).replace(target)
    except BaseException:
        Path(aside).unlink(missing_ok=True)
        raise
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


@contextlib.contextmanager
def _store_failure(location: str) -> Any:
    from obstore.exceptions import BaseError

    try:
        yield
    except (BaseError, OSError) as error:
        raise _not_ready(location, error) from error


def _not_ready(location: str, error: Exception) -> StorageNotReadyError:
    reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else type(error).__name__
    return StorageNotReadyError(
        f"{location} cannot be used ({reason})",
        "Create it, free space or grant access there, then seal again: nothing is lost.",
    )
