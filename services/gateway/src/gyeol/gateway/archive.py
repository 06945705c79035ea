"""Files as a ZIP while they arrive: nothing is held but the part in hand. Parquet is compressed already, so ZIP only wraps."""

from __future__ import annotations

import zipfile
from collections.abc import AsyncIterator
from typing import IO, cast

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The oldest date ZIP knows: equal files give equal archives."""


class _Sink:
    """A file that can only be written, and emptied."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, content: bytes) -> int:
        self._parts.append(bytes(content))
        return len(content)

    def flush(self) -> None:
        pass

    def taken(self) -> bytes:
        content = b"".join(self._parts)
        self._parts.clear()
        return content


async def zipped(parts: AsyncIterator[tuple[str, bytes]]) -> AsyncIterator[bytes]:
    """A ZIP of files that come as chunks with their paths; chunks of one file follow each other."""
    sink = _Sink()
    current, file = "", None
    with zipfile.ZipFile(cast(IO[bytes], sink), "w", zipfile.ZIP_STORED) as archive:
        async for path, chunk in parts:
            if path != current:
                if file is not None:
                    file.close()
                file, current = _opened(archive, path), path
            if file is not None:
                file.write(chunk)
            yield sink.taken()
        if file is not None:
            file.close()
    yield sink.taken()


def _opened(archive: zipfile.ZipFile, path: str) -> IO[bytes]:
    return archive.open(zipfile.ZipInfo(path, _LONG_AGO), "w", force_zip64=True)
