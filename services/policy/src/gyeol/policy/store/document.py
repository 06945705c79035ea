"""One file of a pack, parsed strictly; knows the line of everything in it."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from gyeol.policy.errors import PackInvalidError

Keys = tuple[str | int, ...]


class _StrictLoader(yaml.CSafeLoader):
    """YAML as we write it: a repeated key is an error and a date stays the text it is."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        if len(keys) != len(set(keys)):
            twice = next(key for key, _ in node.value if keys.count(key.value) > 1)
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {twice.value!r} occurs twice: keep one", node.start_mark
            )
        return super().construct_mapping(node, deep)


_StrictLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True)
class Document:
    name: str
    """Path below the pack folder."""
    path: Path
    text: str
    """NFC."""
    data: Any

    @cached_property
    def _root(self) -> Any:
        """The file with the places of everything in it; made when the first message needs it."""
        return yaml.compose(self.text, yaml.CSafeLoader)

    def line(self, keys: Keys) -> int:
        """Returns the line, from 1, on which the value at `keys` starts, or its nearest parent's."""
        if self.path.suffix == ".jsonl":
            return int(keys[0]) + 1 if keys else 1
        node, line = self._root, 1
        for key in keys:
            child = _child(node, key)
            if child is None:
                break
            node, line = child
        return line

    def place(self, keys: Keys) -> str:
        """Returns `path:line: field` for a message."""
        field = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys).lstrip(".")
        return f"{self.path}:{self.line(keys)}: {field or 'the file'}"


def _child(node: Any, key: str | int) -> tuple[Any, int] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        child = node.value[key]
        return child, child.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == str(key):
                return value, name.start_mark.line + 1
    return None


def document(path: Path, root: Path) -> Document:
    """Reads one file.

    Raises:
      PackInvalidError: It is not UTF-8, not well-formed, or repeats a key.
    """
    try:
        text = unicodedata.normalize("NFC", path.read_bytes().decode("utf-8"))
    except UnicodeDecodeError as error:
        raise PackInvalidError([f"{path}: byte {error.start} is not UTF-8: save the file as UTF-8"]) from None
    if text.startswith("\ufeff"):
        raise PackInvalidError([f"{path}:1: starts with a byte order mark: save the file as UTF-8 without it"])
    data: Any
    if path.suffix == ".jsonl":
        data = [_json(line, path, number) for number, line in enumerate(text.splitlines(), 1)]
    else:
        try:
            data = yaml.load(text, _StrictLoader)  # noqa: S506 - a safe loader
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise PackInvalidError([f"{path}:{line}: {error.problem}"]) from None
        except yaml.YAMLError as error:
            raise PackInvalidError([f"{path}: {error}"]) from None
    return Document(str(path.relative_to(root)), path, text, data)


def _json(line: str, path: Path, number: int) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise PackInvalidError([f"{path}:{number}: is not JSON: {error.msg} at column {error.colno}"]) from None
