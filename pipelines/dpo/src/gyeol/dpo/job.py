"""The two jobs: preflight looks, train trains. Each writes its manifest last."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gyeol.dpo import checkpoint
from gyeol.dpo.dataset import Pairs, Sealed, pairs, sealed
from gyeol.dpo.errors import CheckpointError, PreflightError, WeightsError
from gyeol.dpo.group import Group
from gyeol.dpo.parameter import Parameters
from gyeol.dpo.preflight import Preflight, preflight
from gyeol.dpo.report import Report

_PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "datasets")


def examine(data: Path, base: Path, parameters: Parameters, output: Path, report: Report) -> Preflight:
    """Preflight: verifies the dataset, looks at every row with the model's tokenizer, writes `preflight.json`.

    Raises:
      PreflightError: Something rules training out; the findings are in `preflight.json.refused`.
    """
    whole = sealed(data)
    found = _preflight(pairs(whole), base, parameters)
    content = {"dataset": whole.digest, "base": _base(base)["digest"], "summary": found.summary, **asdict(found)}
    report.say("preflight", **content)
    if found.faults:
        _write(output / "preflight.json.refused", content)
        raise PreflightError("; ".join(found.faults))
    _write(output / "preflight.json", content)
    return found


def train(
    data: Path, base: Path, parameters: Parameters, output: Path, group: Group, report: Report, attempt: int
) -> dict[str, Any]:
    """Trains and writes `manifest.json`, which is what proves that the model is whole.

    `attempt` is 0 for the first; a later one must find a checkpoint to go on from.

    Raises:
      CheckpointError: A later attempt found none.
    """
    from gyeol.dpo import trainer

    output.mkdir(parents=True, exist_ok=True)
    whole = sealed(data)
    origin = _base(base)
    split = pairs(whole)
    if attempt > 0 and checkpoint.newest(output / "checkpoints") is None:
        raise CheckpointError(
            f"attempt {attempt} found no complete checkpoint in {output / 'checkpoints'}; start a new run to train from the beginning"
        )
    begun = time.monotonic()
    trained = trainer.train(base, split, parameters, output, group, report)
    if not group.leads:
        return {}
    manifest = _manifest(whole, origin, split, parameters, output, group) | {
        "training": asdict(trained),
        "seconds": round(time.monotonic() - begun, 1),
    }
    _write(output / "manifest.json", manifest)
    report.say("done", digest=manifest["digest"], margin=trained.margin, accuracy=trained.accuracy, steps=trained.steps)
    return manifest


def _preflight(split: Pairs, base: Path, parameters: Parameters) -> Preflight:
    from transformers import AutoConfig, AutoTokenizer

    try:
        tokenizer, configuration = AutoTokenizer.from_pretrained(base), AutoConfig.from_pretrained(base)
    except (OSError, ValueError) as error:
        raise WeightsError(
            f"{base}: the tokenizer or the configuration cannot be read: {error}; fetch the model again"
        ) from error
    return preflight(
        split, tokenizer, parameters, _weights(base), int(getattr(configuration, "vocab_size", 0) or len(tokenizer))
    )


def _weights(base: Path) -> int:
    """Number of parameters, from the headers of the safetensors files."""
    from safetensors import SafetensorError, safe_open

    count = 0
    for path in sorted(base.glob("*.safetensors")):
        try:
            with safe_open(path, framework="np") as file:
                for name in file.keys():  # noqa: SIM118 (not a dictionary)
                    size = 1
                    for length in file.get_slice(name).get_shape():
                        size *= length
                    count += size
        except (OSError, SafetensorError) as error:
            raise WeightsError(f"{path}: cannot be read as safetensors: {error}; fetch the model again") from error
    if not count:
        raise WeightsError(f"{base}: holds no *.safetensors; fetch the model with `python -m gyeol.weights get`")
    return count


def _base(base: Path) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads((base / "manifest.json").read_bytes())
        return {
            "digest": str(manifest["digest"]),
            "uri": str(manifest.get("uri", "")),
            "licence": manifest.get("licence", ""),
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(
            f"{base}/manifest.json: not the manifest of a model: {error}; fetch the model again"
        ) from error


def _manifest(
    whole: Sealed, base: Mapping[str, Any], split: Pairs, parameters: Parameters, output: Path, group: Group
) -> dict[str, Any]:
    files = {path.name: _sha256(path) for path in sorted((output / "model").iterdir()) if path.is_file()}
    digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    manifest = {
        "schema": "gyeol.dev/model/v1",
        "digest": f"sha256:{digest}",
        "base": base["uri"],
        "base_digest": base["digest"],
        "licence": base["licence"],
        "dataset_digest": whole.digest,
        "pack": whole.manifest.get("pack", {}),
        "parameters": parameters.model_dump(by_alias=True),
        "pairs": len(split.train),
        "held_out": len(split.held_out),
        "processes": group.size,
        "packages": {name: version(name) for name in _PACKAGES},
    }
    served = [
        {"path": name, "bytes": (output / "model" / name).stat().st_size, "sha256": sha} for name, sha in files.items()
    ]
    _write(output / "model" / "manifest.json", manifest | {"files": served})
    return manifest | {"model": "model", "files": [one | {"path": f"model/{one['path']}"} for one in served]}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(path)
