"""Where gate policies come from: files, and those that ship with the gate.

A policy may build upon another: `spec.extends` names it, the other fields of `spec` replace its fields,
and a criterion replaces those fields of the criterion of the same name that it writes down, or is added when the name is new.
What results is a whole policy; its digest covers all of it, so a verdict does not depend on what the other file says later.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from gyeol.gate.error import PolicyError
from gyeol.gate.policy import GatePolicy

_LONGEST_CHAIN = 5


def named_policy(name: str) -> GatePolicy:
    """A policy by file path, or by the name of one that ships with the gate.

    Raises:
      PolicyError: neither exists, or the file is wrong.
    """
    with resources.as_file(resources.files("gyeol.gate") / "policies") as shipped:
        return gate_policy(_place(name, Path(), shipped))


def gate_policy(path: Path) -> GatePolicy:
    """Reads a policy file, and the policies that it builds upon.

    Raises:
      PolicyError: unreadable, not YAML, or a field is missing, unknown or wrong.
    """
    with resources.as_file(resources.files("gyeol.gate") / "policies") as shipped:
        content = _extended(path, shipped, ())
    try:
        return GatePolicy.model_validate(content)
    except ValidationError as error:
        lines = [
            f"{path}: {_where(content, problem['loc'])}: {problem['msg'].removeprefix('Value error, ')}"
            + ("" if problem["type"] == "missing" else f" (value: {problem['input']!r:.80})")
            for problem in error.errors()
        ]
        raise PolicyError("\n".join(lines)) from None


def _where(content: Any, place: tuple[int | str, ...]) -> str:
    """Where a problem is; criteria are called by name, because their number changes when a policy builds upon another."""
    if place[:2] == ("spec", "criteria") and len(place) > 2 and isinstance(place[2], int):
        criterion = content["spec"]["criteria"][place[2]]
        name = criterion.get("name") if isinstance(criterion, dict) else None
        # After the number stands the kind, which is no field.
        return ".".join(("spec", f"criteria[{name or place[2]}]", *map(str, place[4:])))
    return ".".join(map(str, place)) or "document"


def _place(name: str, beside: Path, shipped: Path) -> Path:
    """The file that `name` means: a path, seen from the folder `beside`, or the name of a shipped policy."""
    if (beside / name).is_file():
        return beside / name
    if (shipped / f"{name}.yaml").is_file():
        return shipped / f"{name}.yaml"
    known = ", ".join(sorted(file.stem for file in shipped.glob("*.yaml")))
    raise PolicyError(f"policy {name!r} is neither a file nor one of the policies that ship with Gyeol ({known})")


def _extended(path: Path, shipped: Path, below: tuple[Path, ...]) -> Any:
    """The document at `path` with everything that it builds upon; `below` are the files that led here."""
    if path.resolve() in below or len(below) == _LONGEST_CHAIN:
        chain = " -> ".join(str(one) for one in (*below, path.resolve()))
        raise PolicyError(
            f"{path}: spec.extends leads back to itself or through more than {_LONGEST_CHAIN} files ({chain})"
        )
    content = _document(path)
    spec = content.get("spec") if isinstance(content, dict) else None
    if not isinstance(spec, dict) or "extends" not in spec:
        return content
    name = spec["extends"]
    if not isinstance(name, str) or not name:
        raise PolicyError(f"{path}: spec.extends: write the name or the path of a policy (value: {name!r:.80})")
    try:
        place = _place(name, path.parent, shipped)
    except PolicyError as error:
        raise PolicyError(f"{path}: spec.extends: {error}") from None
    origin = _extended(place, shipped, (*below, path.resolve()))
    own = {key: value for key, value in spec.items() if key != "extends"}
    if not isinstance(origin, dict) or not isinstance(origin.get("spec"), dict):
        raise PolicyError(f"{place}: spec: is missing, and {path} builds upon it")
    merged = origin["spec"] | own
    if "criteria" in own:
        merged["criteria"] = _criteria(path, origin["spec"].get("criteria"), own["criteria"])
    return content | {"spec": merged}


def _criteria(path: Path, origin: Any, own: Any) -> list[Mapping[str, Any]]:
    for criteria in (origin, own):
        named = isinstance(criteria, list) and all(
            isinstance(one, dict) and isinstance(one.get("name"), str) for one in criteria
        )
        if not named or len({one["name"] for one in criteria}) < len(criteria):
            raise PolicyError(f"{path}: spec.criteria: write a list of criteria, each with a name of its own")
    merged = {one["name"]: one for one in origin}
    for one in own:
        if one["name"] not in merged and "kind" not in one:
            raise PolicyError(
                f"{path}: spec.criteria: {one['name']!r} is not a criterion of the policy it extends "
                f"({', '.join(map(str, merged))}); give a new one its kind"
            )
        merged[one["name"]] = merged.get(one["name"], {}) | one
    return list(merged.values())


def _document(path: Path) -> Any:
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise PolicyError(f"{path}: cannot be read as YAML: {error}") from error
