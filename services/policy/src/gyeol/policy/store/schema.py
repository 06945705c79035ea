"""The JSON schemas of the pack's files, and their complaints in words a culture author can act on."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from gyeol.policy.store.document import Document, Keys

_LONGEST_VALUE = 60


def findings(document: Document, schema: str) -> Iterator[str]:
    """Yields one line for everything in `document` that breaks the schema of its kind."""
    for error in sorted(_validator(schema).iter_errors(document.data), key=lambda error: list(map(str, error.path))):
        yield from _lines(document, error)
    yield from _repeated(document, document.data, ())


def _repeated(document: Document, part: Any, keys: Keys) -> Iterator[str]:
    """Yields the ids that occur twice in one list, however deep."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from _repeated(document, value, (*keys, key))
    elif isinstance(part, list):
        seen: set[Any] = set()
        for index, item in enumerate(part):
            if isinstance(item, dict):
                identifier = str(item.get("id", index))
                if identifier in seen:
                    yield f"{document.place((*keys, index, 'id'))} = {identifier}: occurs twice: keep one"
                seen.add(identifier)
                yield from _repeated(document, item, (*keys, index))


def _lines(document: Document, error: ValidationError) -> Iterator[str]:
    keys = tuple(error.absolute_path)
    place = document.place(keys)
    value: Any = error.instance
    rule: Any = error.validator_value
    schema: Any = error.schema
    match error.validator:
        case "required":
            for name in rule:
                if name not in value:
                    yield f"{place}: the field {name!r} is missing: add it"
        case "additionalProperties":
            known = ", ".join(schema.get("properties", {}))
            for name in sorted(set(value) - set(schema.get("properties", {}))):
                where = document.place((*keys, name))
                yield f"{where}: is no field of the format: correct it to one of {known}, or remove it"
        case "pattern":
            yield f"{place} = {_shown(value)}: write {schema.get('description', rule)}"
        case "anyOf" if deeper := [inner for inner in error.context or () if inner.validator != "type"]:
            for inner in deeper:
                yield from _lines(document, inner)
        case "enum":
            yield f"{place} = {_shown(value)}: use one of {', '.join(map(str, rule))}"
        case "type":
            quoting = " (put it in quotation marks)" if rule == "string" and isinstance(value, int | float) else ""
            yield f"{place} = {_shown(value)}: must be of type {rule}{quoting}"
        case "minItems":
            yield f"{place}: has {len(value)} entries: give at least {rule}"
        case "uniqueItems":
            twice = next(item for index, item in enumerate(value) if item in value[:index])
            yield f"{place}: {_shown(twice)} is listed twice: keep one"
        case _:
            yield f"{place} = {_shown(value)}: {error.message}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"


@lru_cache
def _validator(schema: str) -> Draft202012Validator:
    return Draft202012Validator(_expanded(_schema(schema), _schema("definition")["$defs"]))


def _schema(name: str) -> dict[str, Any]:
    text = resources.files("gyeol.policy").joinpath("schemas", f"{name}.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _expanded(part: Any, definitions: dict[str, Any]) -> Any:
    """Puts shared definitions in place of references to them: following references doubles the time to start."""
    if isinstance(part, dict):
        if "$ref" in part:
            return _expanded(definitions[part["$ref"].rpartition("/")[2]], definitions)
        return {key: _expanded(value, definitions) for key, value in part.items()}
    if isinstance(part, list):
        return [_expanded(item, definitions) for item in part]
    return part
