"""Where a suite's data lies: a path, a `file://` address, or a dataset of the Hugging Face hub."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from gyeol.evaluate.data.spelling import folded
from gyeol.evaluate.error import SuiteError

SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".parquet")
_DESCRIBING = frozenset({"dataset_infos.json", "dataset_info.json", "dataset_dict.json", "state.json"})
"""Files with which the datasets library describes data; they hold none."""
_SHARD = re.compile(r"-\d{5}-of-\d{5}\Z")


@dataclass(frozen=True)
class Place:
    """Data of one suite, on this machine."""

    address: str
    """As the user gave it, for messages and the manifest."""
    path: Path
    """A file, or a folder of files."""

    def files(self, *names: str) -> list[Path]:
        """Data files below the place, in the order of their paths.

        Args:
          names: Parts of which a file's path (below the place, case and separators ignored) must hold one; none: every file.
            Of a place that is itself called so, for example a dataset of the hub, every file.

        Raises:
          SuiteError: There is no such file.
        """
        if self.path.is_file():
            return [self.path]
        found = [file for file in sorted(self.path.rglob("*")) if self._holds_data(file)]
        parts = [folded(name) for name in names]
        kept = [
            file
            for file in found
            if not parts or any(part in folded(str(file.relative_to(self.path))) for part in parts)
        ]
        own = folded(self.address.rstrip("/").rpartition("/")[2])
        if not kept and any(part in own for part in parts):
            kept = found
        if not kept:
            wanted = f" whose name holds {' or '.join(names)}" if names else ""
            listed = ", ".join(file.name for file in found[:8]) or "nothing"
            raise SuiteError(
                f"{self.address}: no {'/'.join(SUFFIXES)} file{wanted} (found: {listed}); name the file itself"
            )
        return kept

    def called(self, *names: str) -> list[Path]:
        """Data files of the first of `names` that any file has; every data file when none has one.

        Args:
          names: Ends of a file's name, case, separators, suffix and shard numbers (`-00000-of-00001`) ignored.
        """
        every = self.files()
        if self.path.is_file():
            return every
        stems = {file: folded(_SHARD.sub("", file.stem)) for file in every}
        for name in map(folded, names):
            kept = [file for file in every if stems[file].endswith(name)]
            if kept:
                return kept
        return every

    def _holds_data(self, file: Path) -> bool:
        hidden = any(part.startswith(".") for part in file.relative_to(self.path).parts)
        return file.suffix.lower() in SUFFIXES and file.name not in _DESCRIBING and not hidden and file.is_file()


def place(address: str) -> Place:
    """Resolves an address; a hub dataset is fetched once and then read from the hub's cache.

    Args:
      address: A path, `file:///...`, or `hf:owner/name` with an optional `@revision`.

    Raises:
      SuiteError: Nothing is there, or the form is unknown.
    """
    if address.startswith(("hf:", "hf://")):
        return Place(address, _from_hub(address))
    parts = urlsplit(address)
    if parts.scheme not in ("", "file"):
        raise SuiteError(f"data {address!r}: unknown address; give a path, file:///..., or hf:owner/name[@revision]")
    path = Path(unquote(parts.path)) if parts.scheme == "file" else Path(address).expanduser()
    if not path.exists():
        raise SuiteError(f"data {address!r}: {path} does not exist; download the public file and name its path")
    return Place(address, path)


def files_digest(files: Iterable[Path]) -> str:
    """`sha256:<hex>` over the contents of files in the order given."""
    whole = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return "sha256:" + whole.hexdigest()


def _from_hub(address: str) -> Path:
    name, _, revision = address.removeprefix("hf:").removeprefix("//").partition("@")
    if name.count("/") != 1:
        raise SuiteError(f"data {address!r}: expected hf:owner/name[@revision]")
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError
    except ModuleNotFoundError:
        raise SuiteError(
            f"data {address!r}: install gyeol-evaluate[hub] to read from the Hugging Face hub, or name a path"
        ) from None
    try:
        return Path(snapshot_download(name, repo_type="dataset", revision=revision or None))
    except LocalEntryNotFoundError:
        raise SuiteError(
            f"data {address!r}: the hub cannot be reached and the dataset is not cached; download it and name its path"
        ) from None
    except (HfHubHTTPError, ValueError) as error:
        raise SuiteError(
            f"data {address!r}: the hub refuses ({type(error).__name__}); accept the dataset's terms, set HF_TOKEN, or name a path"
        ) from error
