"""The folder of a model, looked at without loading it: everything that can be known wrong before the first request."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from gyeol.predictor.errors import FolderError

Kind = Literal["transformers", "llama"]
_MOST_HEADER_BYTES = 100 * 2**20
_PICKLED = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt")
_AGAIN = "fetch the model again"


@dataclass(frozen=True)
class ModelFolder:
    """A folder that can be served."""

    path: Path
    digest: str
    """`sha256:...` as the manifest says; what callers compare with the model they meant."""
    base: str
    """The model it was made from, or the address it came from; may be empty."""
    kind: Kind
    """Which engine reads it."""
    weights: tuple[Path, ...]
    """The files with the weights."""
    hashes: Mapping[str, str] = field(default_factory=dict)
    """sha256 by name of file, as far as the manifest lists them."""
    context: int | None = None
    """Most tokens that the model was made for; None when its configuration does not say."""

    def within(self, most: int | None) -> int | None:
        """Tokens of a prompt and its answer where at most `most` are allowed.

        It is told before the model is loaded and after, so that whoever asks twice is told the same.
        """
        return min((tokens for tokens in (self.context, most) if tokens is not None), default=None)


def model_folder(path: Path, engine: Literal["auto", "transformers", "llama"] = "auto") -> ModelFolder:
    """Checks a model folder: manifest, sizes of its files, headers of the weights, configuration and tokenizer.

    Raises:
      FolderError: Something is missing, cut short or unsafe.
    """
    if not path.is_dir():
        raise FolderError(f"--model {path}: no such folder; fetch a model with `python -m gyeol.weights get`")
    manifest, text = _manifest(path)
    hashes = _listed(path, manifest)
    tensors, gguf = sorted(path.glob("*.safetensors")), sorted(path.glob("*.gguf"))
    kind: Kind = "llama" if engine == "llama" or (engine == "auto" and gguf and not tensors) else "transformers"
    weights = gguf if kind == "llama" else tensors
    if not weights:
        wanted = "*.gguf" if kind == "llama" else "*.safetensors"
        pickled = next((file.name for file in sorted(path.iterdir()) if file.suffix in _PICKLED), None)
        remedy = f"{pickled} may run code when it is loaded, so convert it" if pickled else _AGAIN
        raise FolderError(f"--model {path}: holds no {wanted}; {remedy}")
    if kind == "llama" and importlib.util.find_spec("xllamacpp") is None:
        raise FolderError(
            f"{weights[0]} needs the package xllamacpp: pip install gyeol-predictor[fast]; or give safetensors"
        )
    for file in weights:
        _gguf(file) if kind == "llama" else _safetensors(file)
    context = None
    if kind == "transformers":
        context = _context(_json(path / "config.json"))
        _json(path / "tokenizer.json")
    digest = str(manifest.get("digest") or "sha256:" + hashlib.sha256(text).hexdigest())
    base = next((str(manifest[key]) for key in ("base", "uri") if isinstance(manifest.get(key), str)), "")
    return ModelFolder(path, digest, base, kind, tuple(weights), hashes, context)


def verify(folder: ModelFolder) -> None:
    """Compares every listed file with its hash; a gigabyte takes about a second.

    Raises:
      FolderError: A file is not what the manifest says.
    """
    for name, wanted in folder.hashes.items():
        with (folder.path / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != wanted.removeprefix("sha256:"):
                raise FolderError(f"{folder.path / name} is not the file its manifest lists; {_AGAIN}")


def _context(config: Mapping[str, Any]) -> int | None:
    """The longest text of a configuration; that of the text part where a model also takes pictures."""
    nested = config.get("text_config")
    for part in (nested if isinstance(nested, dict) else {}, config):
        for name in ("max_position_embeddings", "n_positions"):
            if isinstance(part.get(name), int) and part[name] > 0:
                return int(part[name])
    return None


def _manifest(path: Path) -> tuple[dict[str, Any], bytes]:
    """The folder's manifest; the merged weights of a training may share the one of the folder above."""
    own, above = path / "manifest.json", path.parent / "manifest.json"
    file = own if own.is_file() or path.name != "model" or not above.is_file() else above
    return _json(file), file.read_bytes()


def _json(file: Path) -> dict[str, Any]:
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise FolderError(f"{file} is missing: the model was not fetched to its end; {_AGAIN}") from None
    except (OSError, ValueError) as error:
        raise FolderError(f"{file} cannot be read ({type(error).__name__}); {_AGAIN}") from None
    if not isinstance(found, dict):
        raise FolderError(f"{file} holds no JSON object; {_AGAIN}")
    return found


def _listed(path: Path, manifest: Mapping[str, Any]) -> dict[str, str]:
    """Checks that files which the manifest lists are there and as long as it says; returns their hashes."""
    listed = manifest.get("files") or []
    entries = listed if isinstance(listed, list) else [{"path": name, **one} for name, one in listed.items()]
    hashes = {}
    for entry in entries:
        name, size = str(entry.get("path", "")), entry.get("bytes", entry.get("size"))
        file = path / name
        if not name or not file.resolve().is_relative_to(path.resolve()):
            raise FolderError(f"{path}: its manifest lists {name!r}, which is no file of the folder; {_AGAIN}")
        if not file.is_file():
            raise FolderError(f"{file} is missing, but the manifest lists it; {_AGAIN}")
        if isinstance(size, int) and file.stat().st_size != size:
            raise FolderError(f"{file} has {file.stat().st_size} bytes, its manifest says {size}; {_AGAIN}")
        if isinstance(entry.get("sha256"), str):
            hashes[name] = entry["sha256"]
    return hashes


def _safetensors(file: Path) -> None:
    """The header fits the file's length: a download that broke off is known at once."""
    size = file.stat().st_size
    with file.open("rb") as opened:
        start = opened.read(8)
        length = struct.unpack("<Q", start)[0] if len(start) == 8 else 0
        header = opened.read(length) if 0 < length <= min(_MOST_HEADER_BYTES, size) else b""
    try:
        tensors = json.loads(header)
        end = max((entry["data_offsets"][1] for name, entry in tensors.items() if name != "__metadata__"), default=0)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise FolderError(f"{file} is no whole safetensors file; {_AGAIN}") from None
    if 8 + length + end != size:
        raise FolderError(f"{file} has {size} bytes, its header says {8 + length + end}; {_AGAIN}")


def _gguf(file: Path) -> None:
    with file.open("rb") as opened:
        if opened.read(4) != b"GGUF":
            raise FolderError(f"{file} is no GGUF file; {_AGAIN}")
