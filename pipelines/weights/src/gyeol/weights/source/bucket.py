"""A prefix of an object store: S3 and what speaks like it, Google Cloud Storage, Azure.

Keys, region and endpoint come from the environment (`AWS_ACCESS_KEY_ID`, `AWS_REGION`, `AWS_ENDPOINT_URL`, ...).
"""

from __future__ import annotations

import hashlib
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gyeol.weights.errors import DamagedError, ReachError, SourceError
from gyeol.weights.licence import licence
from gyeol.weights.source.port import WANTED, Origin, Say

if TYPE_CHECKING:
    from obstore.store import ObjectStore


def bucket_source(uri: str) -> BucketSource:
    """Opens the store an address names.

    Raises:
      SourceError: The address or the settings in the environment cannot be used.
    """
    from obstore.exceptions import BaseError
    from obstore.store import from_url

    try:
        return BucketSource(uri, from_url(uri))
    except (BaseError, ValueError) as error:
        raise SourceError(f"{uri}: the object store cannot be opened ({error}); check the address and AWS_*") from error


class BucketSource:
    """Downloads the objects right below the prefix.

    Args:
      uri: For messages.
      store: The store, opened at the prefix.
    """

    def __init__(self, uri: str, store: ObjectStore) -> None:
        self._uri = uri
        self._store = store

    def revision(self) -> str:
        """Hash of the names, sizes and entity tags of the objects."""
        listed = [(one["path"], one["size"], one.get("e_tag")) for one in self._objects()]
        return hashlib.sha256(repr(sorted(listed)).encode()).hexdigest()

    def fetch(self, folder: Path, say: Say) -> Origin:
        revision = self.revision()
        for one in self._objects():
            say("downloading", file=one["path"], bytes=one["size"])
            self._download(one["path"], folder / one["path"], int(one["size"]))
        return Origin(revision, licence(folder))

    def _objects(self) -> list[Any]:
        import obstore
        from obstore.exceptions import BaseError

        try:
            listed = obstore.list_with_delimiter(self._store)["objects"]
        except (BaseError, OSError) as error:
            raise ReachError(
                f"{self._uri}: cannot be listed ({type(error).__name__}: {str(error).splitlines()[0]}); check the "
                "endpoint, the bucket and the key in AWS_*, then try again"
            ) from error
        found = [one for one in listed if any(fnmatch(one["path"], pattern) for pattern in WANTED)]
        if not any(one["path"].endswith(".safetensors") for one in found):
            raise SourceError(f"{self._uri}: holds no *.safetensors; name the prefix that a model was saved under")
        return found

    def _download(self, name: str, target: Path, size: int) -> None:
        import obstore
        from obstore.exceptions import BaseError

        try:
            with target.open("wb") as file:
                for chunk in obstore.get(self._store, name).stream():
                    file.write(chunk)
        except (BaseError, OSError) as error:
            raise ReachError(f"{self._uri}: {name} broke off ({type(error).__name__}); try again") from error
        if target.stat().st_size != size:
            raise DamagedError(f"{self._uri}: {name} came with {target.stat().st_size} of {size} bytes; try again")
