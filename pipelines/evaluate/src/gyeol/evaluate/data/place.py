"""Where a suite's data lies: a path, a `file://` address, or a dataset of the Hugging Face hub."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from gyeol.evaluate.error import SuiteError

SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".parquet")


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

        Raises:
          SuiteError: There is no such file.
        """
        if self.path.is_file():
            return [self.path]
        found = [file for file in sorted(self.path.rglob("*")) if file.suffix.lower() in SUFFIXES and file.is_file()]
        folded = [_folded(name) for name in names]
        kept = [
            file
            for file in found
            if not folded or any(name in _folded(str(file.relative_to(self.path))) for name in folded)
        ]
        if not kept:
            wanted = f" whose name holds {' or '.join(names)}" if names else ""
            listed = ", ".join(file.name for file in found[:8]) or "nothing"
            raise SuiteError(
                f"{self.address}: no {'/'.join(SUFFIXES)} file{wanted} (found: {listed}); name the file itself"
            )
        return kept


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


def _folded(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
