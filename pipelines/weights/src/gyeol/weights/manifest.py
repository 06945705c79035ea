"""The manifest of a folder of weights: written last, so a folder that has one is whole.

The digest can be made again with coreutils: sha256 over the lines `<sha256>  <path>` of all files, sorted by path.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gyeol.weights.inspection import Findings
from gyeol.weights.source.port import Origin

NAME = "manifest.json"
SCHEMA = "gyeol.dev/weights/v1"


def hashes(folder: Path) -> dict[str, str]:
    """sha256 of each file but the manifest, by name."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name != NAME:
            with path.open("rb") as stream:
                found[path.name] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def digest(files: Mapping[str, str]) -> str:
    """`sha256:<hex>` of a folder, from the hashes of its files."""
    lines = "".join(f"{files[name]}  {name}\n" for name in sorted(files))
    return "sha256:" + hashlib.sha256(lines.encode()).hexdigest()


def manifest(uri: str, folder: Path, origin: Origin, findings: Findings) -> dict[str, Any]:
    """What is in the folder and where it came from."""
    files = hashes(folder)
    sizes = {name: (folder / name).stat().st_size for name in files}
    return {
        "schema": SCHEMA,
        "digest": digest(files),
        "uri": uri,
        "revision": origin.revision,
        "licence": origin.licence,
        "made_from": dict(origin.made_from),
        "parameters": findings.parameters,
        "architecture": findings.architecture,
        "context": findings.context,
        "chat_template": findings.chat_template,
        "bytes": sum(sizes.values()),
        "files": [{"path": name, "bytes": sizes[name], "sha256": files[name]} for name in sorted(files)],
    }


def write(folder: Path, content: Mapping[str, Any]) -> None:
    """Writes the manifest in one go."""
    scratch = folder / f"{NAME}.partial"
    scratch.write_text(json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    scratch.replace(folder / NAME)


def whole(folder: Path) -> dict[str, Any] | None:
    """The manifest, when the folder has one and every file is as it says."""
    try:
        content: dict[str, Any] = json.loads((folder / NAME).read_bytes())
        wanted = {entry["path"]: entry["sha256"] for entry in content["files"]}
        return content if hashes(folder) == wanted and content["digest"] == digest(wanted) else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
