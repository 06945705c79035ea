"""The artifact store as programs see it: a folder, or an object store that is brought into a folder and back."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

from gyeol.chassis import logs
from gyeol.chassis.errors import NotFoundError, NotReadyError
from gyeol.reconcile.manifest.site import ARTIFACTS

PART_SECONDS = 15.0
"""Time between two looks of the mirror."""

_log = logs.get()


class Depot:
    """Reads single files of the store.

    Args:
      url: Address of an object store; empty: `folder` is the store.
      folder: The mounted claim.
    """

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder

    async def read(self, path: str) -> bytes:
        """A file's bytes.

        Raises:
          NotFoundError: There is no such file.
          NotReadyError: The store cannot be read now.
        """
        try:
            if not self._url:
                return await asyncio.to_thread((self._folder / path).read_bytes)
            found = await _store(self._url).get_async(path)
            return bytes(await found.bytes_async())
        except FileNotFoundError:
            raise NotFoundError(f"{self._url or self._folder}/{path} is not there") from None
        except OSError as error:
            raise NotReadyError(f"{self._url or self._folder}/{path} cannot be read: {error.strerror}") from error


def fetch(url: str, paths: list[str], folder: Path = Path(ARTIFACTS)) -> int:
    """Brings folders of an object store into a folder; the number of files."""
    store, count = _store(url), 0
    for path in paths:
        for page in store.list(prefix=path):
            for item in page:
                target = folder / item["path"]
                target.parent.mkdir(parents=True, exist_ok=True)
                with target.open("wb") as file:
                    for chunk in store.get(item["path"]).stream():
                        file.write(chunk)
                count += 1
    return count


def send(url: str, path: str, sent: dict[Path, tuple[int, int]], folder: Path = Path(ARTIFACTS)) -> int:
    """Sends what changed in a folder to an object store; the manifest last, because it says that everything else is there.

    Args:
      url: Address of the store.
      path: Folder below its root.
      sent: Size and time of what was sent before; kept up to date.
      folder: Root on this machine.
    """
    store, count = _store(url), 0
    files = sorted((folder / path).rglob("*"), key=lambda one: (one.name in ("manifest.json", "COMPLETE"), str(one)))
    for file in files:
        if not file.is_file() or file.name.startswith("."):
            continue
        state = (file.stat().st_size, file.stat().st_mtime_ns)
        if sent.get(file) != state:
            store.put(str(file.relative_to(folder)), file)
            sent[file] = state
            count += 1
    return count


async def mirror(url: str, path: str) -> None:
    """Keeps sending a folder until SIGTERM, then once more."""
    stopped, sent = asyncio.Event(), dict[Path, tuple[int, int]]()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    while not stopped.is_set():
        try:
            async with asyncio.timeout(PART_SECONDS):
                await stopped.wait()
        except TimeoutError:
            pass
        count = await asyncio.to_thread(send, url, path, sent)
        if count:
            _log.info("folder_sent", path=path, files=count)


def _store(url: str) -> Any:
    from obstore.store import from_url

    return from_url(url)
