"""What an API server does with a custom resource: prune or refuse unknown fields, fill defaults in, check schema, list keys and rules."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cel
import yaml
from jsonschema import Draft4Validator, ValidationError, validators

Schema = Mapping[str, Any]
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_PLAIN = ("type", "enum", "format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
          "minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required")  # fmt: skip
_META: Schema = {"type": "object", _PRESERVE: True}


@dataclass(frozen=True)
class Definition:
    """One CustomResourceDefinition."""

    group: str
    kind: str
    plural: str
    scope: str
    versions: Mapping[str, Schema]
    storage: str
    status: frozenset[str]
    """Versions with a status subresource."""
    document: Mapping[str, Any]

    @staticmethod
    def of(document: Mapping[str, Any]) -> Definition:
        spec = document["spec"]
        versions = {one["name"]: _rooted(one["schema"]["openAPIV3Schema"]) for one in spec["versions"] if one["served"]}
        return Definition(
            spec["group"],
            spec["names"]["kind"],
            spec["names"]["plural"],
            spec["scope"],
            versions,
            next(one["name"] for one in spec["versions"] if one["storage"]),
            frozenset(one["name"] for one in spec["versions"] if "status" in (one.get("subresources") or {})),
            document,
        )

    def admitted(
        self, value: Mapping[str, Any], old: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], list[str]]:
        """The object as it would be stored, and what is wrong with it."""
        schema = self.versions[value["apiVersion"].rpartition("/")[2]]
        stored = copy.deepcopy(dict(value))
        _without_nulls(schema, stored)
        _with_defaults(schema, stored)
        wrong = [
            f"{_path(error)}: {error.message[:300]}"
            for error in _validator(id(schema), _Held(schema)).iter_errors(stored)
        ]
        return stored, wrong or list(_broken_rules(schema, stored, old, ""))


def load(path: Path) -> list[Definition]:
    """Definitions in a YAML file."""
    documents = yaml.load_all(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return [Definition.of(one) for one in documents if one and one.get("kind") == "CustomResourceDefinition"]


def unknown_fields(definition: Definition, value: Mapping[str, Any]) -> list[str]:
    """Fields that `fieldValidation=Strict` refuses."""
    schema = definition.versions[value["apiVersion"].rpartition("/")[2]]
    return list(_unknown(schema, value, ""))


def pruned(schema: Schema, value: Any) -> Any:
    """The value without the fields the schema does not know."""
    if isinstance(value, dict):
        properties, free = schema.get("properties") or {}, schema.get("additionalProperties")
        return {
            key: pruned(properties.get(key) or (free if isinstance(free, dict) else {_PRESERVE: True}), one)
            for key, one in value.items()
            if key in properties or free or schema.get(_PRESERVE) or not (properties or "type" in schema)
        }
    if isinstance(value, list):
        return [pruned(schema.get("items") or {_PRESERVE: True}, one) for one in value]
    return value


def _rooted(schema: Schema) -> Schema:
    properties = {
        **schema.get("properties", {}),
        "apiVersion": {"type": "string"},
        "kind": {"type": "string"},
        "metadata": _META,
    }
    return {**schema, "properties": properties}


def _unknown(schema: Schema, value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        properties, free = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, one in value.items():
            if key in properties:
                yield from _unknown(properties[key], one, f"{path}.{key}")
            elif isinstance(free, dict):
                yield from _unknown(free, one, f"{path}.{key}")
            elif not (free or schema.get(_PRESERVE) or schema.get("x-kubernetes-embedded-resource")):
                yield f'unknown field "{path.lstrip(".")}.{key}"'
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _unknown(schema.get("items") or {_PRESERVE: True}, one, f"{path}[{index}]")


class _Held:
    """Lets a schema be a key of the cache and stay alive in it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.schema is self.schema


@functools.lru_cache(maxsize=256)
def _validator(_: int, held: _Held) -> Any:
    return _Structural(_json_schema(held.schema))


def _json_schema(schema: Schema) -> dict[str, Any]:
    made: dict[str, Any] = {key: schema[key] for key in _PLAIN if key in schema}
    if "properties" in schema:
        made["properties"] = {key: _json_schema(one) for key, one in schema["properties"].items()}
    for key in ("items", "additionalProperties", "not"):
        if isinstance(schema.get(key), dict):
            made[key] = _json_schema(schema[key])
    for key in ("allOf", "anyOf", "oneOf"):
        if key in schema:
            made[key] = [_json_schema(one) for one in schema[key]]
    if schema.get("x-kubernetes-int-or-string"):
        made.pop("type", None)
        made["allOf"] = [*made.get("allOf", []), {"anyOf": [{"type": "integer"}, {"type": "string"}]}]
    if schema.get("nullable") and "type" in made:
        made["type"] = [made["type"], "null"]
    if schema.get("x-kubernetes-list-type") in ("map", "set"):
        made["listKeys"] = list(schema.get("x-kubernetes-list-map-keys", []))
    return made


def _distinct(_: Any, keys: list[str], value: Any, __: Any) -> Iterator[ValidationError]:
    seen: list[Any] = []
    for index, one in enumerate(value if isinstance(value, list) else []):
        key = tuple(one.get(name) for name in keys) if keys and isinstance(one, dict) else one
        if key in seen:
            yield ValidationError(f"Duplicate value: {key}", path=[index])
        seen.append(key)


def _whole(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_Structural = validators.extend(
    Draft4Validator, {"listKeys": _distinct}, type_checker=Draft4Validator.TYPE_CHECKER.redefine("integer", _whole)
)


def _path(error: ValidationError) -> str:
    return ".".join(str(part) for part in error.absolute_path)


def _with_defaults(schema: Schema, value: Any) -> None:
    if isinstance(value, dict):
        properties, free = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, one in properties.items():
            if key not in value and "default" in one:
                value[key] = copy.deepcopy(one["default"])
            if key in value:
                _with_defaults(one, value[key])
        if isinstance(free, dict):
            for key in value.keys() - properties.keys():
                _with_defaults(free, value[key])
    elif isinstance(value, list):
        for one in value:
            _with_defaults(schema.get("items") or {}, one)


def _without_nulls(schema: Schema, value: Any) -> None:
    if isinstance(value, dict):
        properties, free = schema.get("properties") or {}, schema.get("additionalProperties")
        for key in list(value):
            one = properties.get(key) or (free if isinstance(free, dict) else {})
            if value[key] is None and one and not one.get("nullable"):
                del value[key]
            else:
                _without_nulls(one, value[key])
    elif isinstance(value, list):
        for one in value:
            _without_nulls(schema.get("items") or {}, one)


@functools.lru_cache(maxsize=4096)
def _program(rule: str) -> Any:
    return cel.compile(rule)


def _broken_rules(schema: Schema, value: Any, old: Any, path: str) -> Iterator[str]:
    for rule in schema.get("x-kubernetes-validations") or []:
        transition = re.search(r"\boldSelf\b", rule["rule"])
        if transition and old is None:
            continue
        try:
            holds = _program(rule["rule"]).execute({"self": value, **({"oldSelf": old} if transition else {})})
        except Exception as error:
            holds = f"error: {error}"
        if holds is not True:
            said = rule.get("message") or f"failed rule: {rule['rule']}"
            yield f"{path.lstrip('.')}: {said}" + (f" ({holds})" if holds is not False else "")
    if isinstance(value, dict):
        properties, free = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, one in value.items():
            below = properties.get(key) or (free if isinstance(free, dict) else None)
            if below:
                before = old.get(key) if isinstance(old, dict) else None
                yield from _broken_rules(below, one, before, f"{path}.{key}")
    elif isinstance(value, list):
        keys = schema.get("x-kubernetes-list-map-keys")
        for index, one in enumerate(value):
            before = None
            if keys and isinstance(old, list):
                before = next((other for other in old if all(other.get(key) == one.get(key) for key in keys)), None)
            yield from _broken_rules(schema.get("items") or {}, one, before, f"{path}[{index}]")
