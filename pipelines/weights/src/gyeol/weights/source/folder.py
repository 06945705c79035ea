"""A folder on this machine, or on a volume mounted here."""

from __future__ import annotations

import shutil
from fnmatch import fnmatch
from pathlib import Path

from gyeol.weights.errors import SourceError
from gyeol.weights.licence import licence
from gyeol.weights.source.port import WANTED, Origin, Say


class FolderSource:
    """Copies what is wanted; the original may change or go.

    Args:
      uri: For messages.
      path: The folder.
    """

    def __init__(self, uri: str, path: Path) -> None:
        self._uri = uri
        self._path = path

    def revision(self) -> str:
        return ""

    def fetch(self, folder: Path, say: Say) -> Origin:
        if not self._path.is_dir():
            remedy = (
                "mount the volume there, or set GYEOL_VOLUMES" if self._uri.startswith("pvc:") else "check the path"
            )
            raise SourceError(f"{self._uri}: {self._path} is no folder; {remedy}")
        names = [path.name for path in sorted(self._path.iterdir()) if path.is_file()]
        wanted = [name for name in names if any(fnmatch(name, pattern) for pattern in WANTED)]
        if not any(name.endswith(".safetensors") for name in wanted):
            raise SourceError(f"{self._uri}: {self._path} holds no *.safetensors; {_remedy(names)}")
        for name in wanted:
            say("copying", file=name)
            shutil.copyfile(self._path / name, folder / name)
        return Origin("", licence(folder))


def _remedy(names: list[str]) -> str:
    if any(name.endswith(".gguf") for name in names):
        return "name the *.gguf file in it instead"
    if any(name.endswith((".bin", ".pt", ".pth")) for name in names):
        return "pickled weights may run code: convert them to safetensors where they come from"
    return "name the folder that a model was saved in"
