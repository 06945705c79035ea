"""The job: from an address to a verified folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gyeol.weights import manifest
from gyeol.weights.address import Address
from gyeol.weights.cache import cached, deliver
from gyeol.weights.inspection import inspected
from gyeol.weights.source.port import Say, Source


def source(address: Address, seed_address: str, policy_address: str) -> Source:
    """The source for an address."""
    match address.scheme:
        case "builtin":
            from gyeol.weights.source.builtin import BuiltinSource

            return BuiltinSource(address.place, seed_address, policy_address)
        case "hf":
            from gyeol.weights.source.hub import HubSource

            return HubSource(address)
        case "s3" | "gs" | "az":
            from gyeol.weights.source.bucket import bucket_source

            return bucket_source(address.uri)
        case "oci":
            from gyeol.weights.source.layout import LayoutSource

            return LayoutSource(address)
        case _ if address.scheme == "gguf" or address.path.suffix == ".gguf":
            from gyeol.weights.source.ggufile import GgufSource

            return GgufSource(address.uri, address.path)
        case _:
            from gyeol.weights.source.folder import FolderSource

            return FolderSource(address.uri, address.path)


def get(address: Address, origin: Source, output: Path, cache: Path, say: Say) -> dict[str, Any]:
    """Fetches, checks and delivers; returns the manifest.

    What cannot be told apart without reading all of it, such as a folder, is read anew each time.
    """
    revision = origin.revision()

    def make(folder: Path) -> None:
        say("fetching", uri=address.uri, revision=revision)
        found = origin.fetch(folder, say)
        manifest.write(folder, manifest.manifest(address.uri, folder, found, inspected(address.uri, folder)))

    place = cached(cache, f"{address.uri} {revision}", make, anew=not revision)
    return deliver(place, output)
