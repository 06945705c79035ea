"""Parses the YAML a person wrote into an object, or says in which line what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from gyeol.reconcile.alignment import API_VERSION, AlignmentRun
from gyeol.reconcile.fault import Fault, Location, SpecificationError, dotted, faults
from gyeol.reconcile.pack import CulturePack
from gyeol.reconcile.promotion import ModelPromotion

T = TypeVar("T", bound=BaseModel)
SIZE_LIMIT = 256 * 1024
NODE_LIMIT = 100_000
"""Values of a document with its aliases written out: a few lines of aliases of aliases can stand for billions."""


class _Loader(yaml.SafeLoader):
    """YAML as plain JSON values: dates stay text, and a key that is written twice is refused."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Any] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a list or a mapping stands where a field's name is needed", key.start_mark
                )
            if key.value in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"'{key.value}' is written twice; keep one of them", key.start_mark
                )
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def parse_alignment_run(
    text: str | bytes,
    source: str,
    complaints: Callable[[AlignmentRun], Iterable[tuple[Location, str]]] = lambda _: (),
) -> AlignmentRun:
    """Parses one AlignmentRun.

    Args:
      text: The YAML.
      source: Name of the file, for messages.
      complaints: What else is wrong with the run, known to the caller alone: where, and what to do.

    Raises:
      SpecificationError: with every fault, its line, field, value and remedy.
    """
    tree, run = _parsed(text, source, AlignmentRun)
    if found := [Fault(dotted(where), what, _line(tree, where)) for where, what in complaints(run)]:
        raise SpecificationError(source, found)
    return run


def parse_model_promotion(text: str | bytes, source: str) -> ModelPromotion:
    """Parses one ModelPromotion; raises like `parse_alignment_run`."""
    return _parsed(text, source, ModelPromotion)[1]


def parse_culture_pack(text: str | bytes, source: str) -> CulturePack:
    """Parses one CulturePack; raises like `parse_alignment_run`."""
    return _parsed(text, source, CulturePack)[1]


def _parsed(text: str | bytes, source: str, model: type[T]) -> tuple[yaml.Node, T]:
    tree, value = _read(_decoded(text, source), source)
    if value.get("kind") not in (None, model.__name__) or value.get("apiVersion") not in (None, API_VERSION):
        message = (
            f"describes {value.get('apiVersion')} {value.get('kind')}; {API_VERSION} {model.__name__} is needed here"
        )
        raise SpecificationError(source, [Fault("", message, _line(tree, ("kind",)))])
    try:
        return tree, model.model_validate_json(json.dumps(value, ensure_ascii=False), by_alias=True, by_name=False)
    except ValidationError as error:
        found = faults(error.errors(include_url=False), model, lambda where: _line(tree, where))
        raise SpecificationError(source, found) from None


def _decoded(text: str | bytes, source: str) -> str:
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise SpecificationError(
                source, [Fault("", f"is not UTF-8 at byte {error.start}; save it as UTF-8")]
            ) from None
    if len(text) > SIZE_LIMIT:
        raise SpecificationError(
            source, [Fault("", f"has {len(text)} characters; an object holds at most {SIZE_LIMIT}")]
        )
    return text


def _read(text: str, source: str) -> tuple[yaml.Node, dict[str, Any]]:
    try:
        nodes = list(yaml.compose_all(text, Loader=_Loader))
        if sum(_size(node, {}) for node in nodes) > NODE_LIMIT:
            message = f"stands for more than {NODE_LIMIT} values; write them out instead of using aliases of aliases"
            raise SpecificationError(source, [Fault("", message)])
        values = list(yaml.load_all(text, Loader=_Loader))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise SpecificationError(source, [Fault("", f"is not valid YAML: {error.problem}", line)]) from None
    except yaml.YAMLError as error:
        raise SpecificationError(source, [Fault("", f"is not valid YAML: {error}")]) from None
    except RecursionError:
        raise SpecificationError(source, [Fault("", "is nested too deeply; an object has a few levels")]) from None
    pairs = [(node, value) for node, value in zip(nodes, values, strict=True) if value is not None]
    if len(pairs) != 1:
        raise SpecificationError(source, [Fault("", f"holds {len(pairs)} objects; write exactly one")])
    node, value = pairs[0]
    if not isinstance(value, dict):
        raise SpecificationError(source, [Fault("", "is not a mapping; start it with apiVersion and kind", 1)])
    return node, value


def _size(node: yaml.Node | None, known: dict[int, int]) -> int:
    """Values in a node, aliases written out. An alias within what it names is counted as endless."""
    if node is None or isinstance(node, yaml.ScalarNode):
        return 1
    if id(node) not in known:
        known[id(node)] = NODE_LIMIT + 1
        parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
        known[id(node)] = 1 + sum(_size(part, known) for part in parts)
    return known[id(node)]


def _line(root: yaml.Node, location: Location) -> int:
    """Line of the field, or of the nearest enclosing one that is written."""
    line, node = root.start_mark.line, root
    for part in location:
        if isinstance(node, yaml.MappingNode):
            entry = next(((key, value) for key, value in node.value if key.value == part), None)
            if entry is None:
                break
            line, node = entry[0].start_mark.line, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line
        else:
            break
    return int(line) + 1
