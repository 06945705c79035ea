"""A Hugging Face repository, pinned to a commit."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from gyeol.chassis.errors import GyeolError
from gyeol.weights.address import Address
from gyeol.weights.errors import ReachError, SourceError
from gyeol.weights.licence import licence
from gyeol.weights.source.port import WANTED, Origin, Say


class HubSource:
    """Downloads one commit's safetensors and what belongs to them.

    The key for gated repositories is `HF_TOKEN`; `HF_ENDPOINT` names a mirror.
    """

    def __init__(self, address: Address) -> None:
        self._address = address
        self._commit = ""

    def revision(self) -> str:
        """The commit that the revision stands for now."""
        if not self._commit:
            self._commit = str(self._ask(self._info).sha)
        return self._commit

    def fetch(self, folder: Path, say: Say) -> Origin:
        commit = self.revision()
        say("downloading", repository=self._address.place, revision=commit)
        self._ask(lambda: self._download(folder, commit))
        shutil.rmtree(folder / ".cache", ignore_errors=True)  # the library's bookkeeping
        return Origin(commit, licence(folder))

    def _info(self) -> Any:
        from huggingface_hub import HfApi

        info = HfApi().model_info(self._address.place, revision=self._address.revision or None, timeout=30)
        names = [file.rfilename for file in info.siblings or ()]
        if not any(name.endswith(".safetensors") for name in names):
            raise SourceError(
                f"{self._address.uri}: the repository holds no safetensors; name a revision that does, for example "
                "refs/convert/safetensors, because pickled weights may run code"
            )
        return info

    def _download(self, folder: Path, commit: str) -> None:
        from huggingface_hub import snapshot_download

        snapshot_download(self._address.place, revision=commit, local_dir=folder, allow_patterns=list(WANTED))

    def _ask(self, call: Any) -> Any:
        from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

        uri = self._address.uri
        try:
            return call()
        except GatedRepoError as error:
            raise SourceError(f"{uri}: is gated; accept its terms on the hub and set HF_TOKEN") from error
        except RevisionNotFoundError as error:
            raise SourceError(f"{uri}: has no revision {self._address.revision!r}; name a commit or a tag") from error
        except RepositoryNotFoundError as error:
            raise SourceError(
                f"{uri}: no such repository, or it is private; check the name, or set HF_TOKEN"
            ) from error
        except GyeolError:
            raise
        except Exception as error:  # what its HTTP client raises changes from release to release
            raise ReachError(
                f"{uri}: the hub does not answer ({type(error).__name__}); try again, set HF_ENDPOINT to a mirror, or "
                "fetch the folder elsewhere and name it with file://"
            ) from error
