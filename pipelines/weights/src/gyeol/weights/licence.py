"""The licence that a folder of weights declares."""

from __future__ import annotations

import re
from pathlib import Path

import yaml


def licence(folder: Path) -> str:
    """Returns the `license` of the model card's front matter, else the first line of a licence file, else nothing."""
    card = folder / "README.md"
    if card.is_file():
        found = re.match(r"\A---\s*\n(.*?)\n---\s*\n", card.read_text(encoding="utf-8", errors="replace"), re.DOTALL)
        try:
            front = yaml.safe_load(found.group(1)) if found else None
        except yaml.YAMLError:
            front = None
        if isinstance(front, dict) and front.get("license"):
            return str(front["license"])
    for file in sorted(folder.glob("LICENSE*")):
        lines = [
            line.strip() for line in file.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()
        ]
        if lines:
            return lines[0][:100]
    return ""
