"""The pinned model: the one file of an environment that promotion writes.

Pure: text in, text out. Comments and order of the file survive.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from gyeol.promote.errors import RepositoryError
from gyeol.promote.evidence import Evidence


@dataclass(frozen=True)
class Pin:
    """What an environment serves."""

    name: str
    uri: str
    digest: str
    dataset: str
    pack: str
    policy: str


def pin(name: str, uri: str, found: Evidence) -> Pin:
    return Pin(name, uri, found.model, found.dataset, found.pack, found.policy)


def pinned(text: str, wanted: Pin) -> str:
    """The file with `wanted` written in; the same text when it already says so.

    Raises:
      RepositoryError: The file is no YAML mapping with a `model` mapping in it.
    """
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    try:
        content: Any = yaml.load(text)
    except YAMLError as error:
        raise RepositoryError(f"the pinned-model file is no YAML: {error}") from error
    if not isinstance(content, dict) or not isinstance(content.get("model"), dict):
        raise RepositoryError("the pinned-model file needs a mapping `model` (see charts/environments)")
    model = content["model"]
    told = {
        "name": wanted.name,
        "uri": wanted.uri,
        "digest": wanted.digest,
        "dataset": wanted.dataset,
        "pack": wanted.pack,
        "gatePolicy": wanted.policy,
    }
    if all(model.get(key) == value for key, value in told.items()):
        return text
    model.update(told)
    written = io.StringIO()
    yaml.dump(content, written)
    return written.getvalue()


def message(environment: str, wanted: Pin, summary: str) -> str:
    """Commit message; the trailers let a machine find what a person reads."""
    return (
        f"Serve {wanted.name} in {environment}\n\n{summary}\n\n"
        f"Gyeol-Environment: {environment}\n"
        f"Gyeol-Model: {wanted.digest}\n"
        f"Gyeol-Dataset: {wanted.dataset}\n"
        f"Gyeol-Pack: {wanted.pack}\n"
        f"Gyeol-Gate-Policy: {wanted.policy}\n"
    )


def branch(environment: str, wanted: Pin) -> str:
    """One branch per environment and model, so that asking twice asks once."""
    return f"gyeol/{environment}/{wanted.digest.removeprefix('sha256:')[:16]}"
