"""Looks at a folder of weights before anybody loads it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.weights.errors import DamagedError, SourceError, UnsafeError

PICKLES = (".bin", ".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib", ".npy", ".h5", ".msgpack")


@dataclass(frozen=True)
class Findings:
    """What the folder holds."""

    parameters: int
    """Numbers in all tensors; tied ones count once."""
    architecture: str
    context: int
    """Tokens the model can attend to; 0 when the configuration does not tell."""
    chat_template: bool
    """Whether conversations can be rendered."""


def inspected(uri: str, folder: Path) -> Findings:
    """Checks that the folder can be loaded without running anybody's code.

    Raises:
      UnsafeError: It holds pickles, or its configuration asks for code of its own.
      DamagedError: A file is truncated or unreadable.
      SourceError: Something is missing.
    """
    names = {path.name for path in folder.iterdir() if path.is_file()}
    for name in sorted(names):
        if name.endswith(PICKLES):
            raise UnsafeError(f"{uri}: {name} may run code when it is loaded; name a revision with safetensors")
    config = _json(uri, folder, "config.json", names)
    if config.get("auto_map"):
        raise UnsafeError(
            f"{uri}: config.json asks for code of its own (auto_map), which is never run; choose a model whose "
            "architecture transformers knows"
        )
    if not names & {"tokenizer.json", "tokenizer.model"}:
        raise SourceError(f"{uri}: has no tokenizer.json; save the model's tokenizer beside its weights")
    settings = _json(uri, folder, "tokenizer_config.json", names) if "tokenizer_config.json" in names else {}
    templates = {"chat_template.jinja", "chat_template.json"} & names
    return Findings(
        parameters=_parameters(uri, folder, names),
        architecture=str((config.get("architectures") or [""])[0]),
        context=int(config.get("max_position_embeddings") or 0),
        chat_template=bool(templates or settings.get("chat_template")),
    )


def _json(uri: str, folder: Path, name: str, names: set[str]) -> dict[str, Any]:
    if name not in names:
        raise SourceError(f"{uri}: has no {name}; save the model with save_pretrained")
    try:
        return dict(json.loads((folder / name).read_bytes()))
    except (ValueError, TypeError) as error:
        raise DamagedError(f"{uri}: {name} is no JSON object ({error}); fetch it again") from error


def _parameters(uri: str, folder: Path, names: set[str]) -> int:
    from safetensors import SafetensorError, safe_open

    shards = {name for name in names if name.endswith(".safetensors")}
    if "model.safetensors.index.json" in names:
        index = _json(uri, folder, "model.safetensors.index.json", names)
        wanted = set(index.get("weight_map", {}).values())
        if missing := sorted(wanted - names):
            raise DamagedError(f"{uri}: {missing[0]} is missing, but the index names it; fetch it again")
        shards = wanted or shards
    if not shards:
        raise SourceError(f"{uri}: holds no *.safetensors")
    count = 0
    for name in sorted(shards):
        try:
            # Opening compares the header's offsets with the size of the file: a truncated one is found here.
            with safe_open(folder / name, framework="numpy") as tensors:
                count += sum(math.prod(tensors.get_slice(key).get_shape()) for key in tensors.keys())  # noqa: SIM118
        except (SafetensorError, OSError, ValueError) as error:
            raise DamagedError(
                f"{uri}: {name} is truncated or no safetensors file ({error}); fetch it again"
            ) from error
    return count
