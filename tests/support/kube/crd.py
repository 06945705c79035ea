"""What an API server does with a custom resource: prune or refuse unknown fields, fill defaults in, check schema, list keys and rules."""

from __future__ import annotations

import copy
import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
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
_SCALARS: Mapping[str, tuple[Any, str]] = {
    "string": (str, "string"),
    "boolean": (bool, "boolean"),
    "integer": ((int, float), "numeric (int or float)"),
    "number": ((int, float), "numeric (int or float)"),
}
_BLOCKING = {"type", "enum", "required", "maxLength", "maxItems", "maxProperties"}
"""What must be mended before rules are looked at."""
_UNCHECKED = (
    "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
_BOUNDS = {
    "minimum": "be greater than or equal to {}",
    "maximum": "be less than or equal to {}",
    "minLength": "be at least {} chars long",
    "minItems": "have at least {} items",
    "pattern": "match '{}'",
}
_TEXT: Schema = {"type": "string"}
_META: Schema = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("name", "generateName", "namespace", "uid", "resourceVersion", "selfLink"), _TEXT),
        **{key: {**_TEXT, "nullable": True} for key in ("creationTimestamp", "deletionTimestamp")},
        **{key: {"type": "integer"} for key in ("generation", "deletionGracePeriodSeconds")},
        **{key: {"type": "object", "additionalProperties": _TEXT} for key in ("labels", "annotations")},
        "finalizers": {"type": "array", "items": _TEXT},
        "ownerReferences": {"type": "array", "items": {"type": "object", _PRESERVE: True}},
        "managedFields": {"type": "array", "items": {"type": "object", _PRESERVE: True}},
    },
}


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
        errors = [
            error
            for error in _validator(id(schema), _Held(schema)).iter_errors(stored)
            if old is None or not _stood(schema, stored, old, error.absolute_path)
        ]
        wrong = [_told(error) for error in errors]
        if any(error.validator in _BLOCKING for error in errors):
            return stored, [*wrong, _UNCHECKED]
        return stored, [*wrong, *_broken_rules(schema, stored, old, "")]

    def read(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """An object that an earlier definition stored, as this one shows it."""
        version = value["apiVersion"].rpartition("/")[2]
        schema = self.versions.get(version, self.versions[self.storage])
        shown = {**pruned(schema, value), "metadata": value["metadata"]}
        _with_defaults(schema, shown)
        return shown


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
                yield f'unknown field "{f"{path}.{key}".lstrip(".")}"'
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _unknown(schema.get("items") or {_PRESERVE: True}, one, f"{path}[{index}]")


def untypable(definition: Definition, value: Mapping[str, Any]) -> list[str]:
    """Why a value cannot be applied at all: server-side apply must know the type of every field to say who owns it."""
    schema = definition.versions[value["apiVersion"].rpartition("/")[2]]
    return list(_untypable(schema, value, ""))


def _untypable(schema: Schema, value: Any, path: str) -> Iterator[str]:
    kind, free = schema.get("type"), schema.get(_PRESERVE) or schema.get("x-kubernetes-embedded-resource")
    if isinstance(value, dict):
        properties, below = schema.get("properties") or {}, schema.get("additionalProperties")
        if kind not in (None, "object"):
            yield f"{path}: expected {kind}, got map"
            return
        for key, one in value.items():
            if key in properties or isinstance(below, dict):
                yield from _untypable(properties.get(key) or below, one, f"{path}.{key}")
            elif not (free or below):
                yield f"{path}.{key}: field not declared in schema"
    elif isinstance(value, list):
        keys, seen = list(schema.get("x-kubernetes-list-map-keys") or []), set()
        for index, one in enumerate(value):
            name = ",".join(f"{key}={json.dumps(one.get(key))}" for key in keys) if keys else f"={json.dumps(one)}"
            if name in seen and schema.get("x-kubernetes-list-type") in ("map", "set"):
                yield f"{path}: duplicate entries for key [{name}]"
            seen.add(name)
            yield from _untypable(schema.get("items") or {_PRESERVE: True}, one, f"{path}[{name if keys else index}]")
    elif kind == "object":
        yield f"{path}: expected map, got &{{{value}}}"
    elif value is not None and kind in _SCALARS and not isinstance(value, _SCALARS[kind][0]):
        yield f"{path}: expected {_SCALARS[kind][1]}, got {type(value).__name__}"


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
            told = {name: one.get(name) for name in keys} if keys else one
            yield ValidationError(json.dumps(told, ensure_ascii=False, separators=(",", ":")), path=[index])
        seen.append(key)


def _whole(_: Any, value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


_Structural = validators.extend(
    Draft4Validator, {"listKeys": _distinct}, type_checker=Draft4Validator.TYPE_CHECKER.redefine("integer", _whole)
)


def _path(parts: Iterable[Any]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")


def _told(error: ValidationError) -> str:
    """What is wrong, in the words of the real server, which tests and people meet."""
    path, value, wanted = _path(error.absolute_path), error.instance, error.validator_value
    match error.validator:
        case "required":
            return f"{path}.{error.message.split(chr(39))[1]}: Required value".lstrip(".")
        case "enum":
            known = ", ".join(json.dumps(one) for one in wanted)
            return f"{path}: Unsupported value: {json.dumps(value)}: supported values: {known}"
        case "type":
            kind, named = type(value).__name__, wanted if isinstance(wanted, str) else ",".join(wanted)
            return f'{path}: Invalid value: "{kind}": {path} in body must be of type {named}: "{kind}"'
        case "maxLength":
            return f"{path}: Too long: may not be more than {wanted} bytes"
        case "maxItems" | "maxProperties":
            return f"{path}: Too many: {len(value)}: must have at most {wanted} items"
        case "listKeys":
            return f"{path}: Duplicate value: {error.message}"
        case rule if rule in _BOUNDS:
            shown = len(value) if isinstance(value, list | dict) else json.dumps(value)
            return f"{path}: Invalid value: {shown}: {path} in body should {_BOUNDS[rule].format(wanted)}"
        case _:
            return f"{path}: Invalid value: {error.message[:300]}"


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


def _before(schema: Schema, value: Any, old: Any, part: Any) -> Any:
    """What stood at a place before the update; None where that cannot be told, as in a list without keys."""
    if isinstance(value, Mapping):
        return old.get(part) if isinstance(old, Mapping) else None
    keys = schema.get("x-kubernetes-list-map-keys")
    if not (keys and isinstance(old, list)):
        return None
    return next((one for one in old if all(one.get(key) == value[part].get(key) for key in keys)), None)


def _stood(schema: Schema, value: Any, old: Any, path: Iterable[Any]) -> bool:
    """Whether a place is as it was before the update: what was let in once is not refused later."""
    for part in path:
        before = _before(schema, value, old, part)
        if before is None:
            break
        schema, value, old = _below(schema, part) or {}, value[part], before
    return _unchanged(schema, value, old)


def _below(schema: Schema, part: Any) -> Schema | None:
    found = (schema.get("properties") or {}).get(part) or schema.get("items") or schema.get("additionalProperties")
    return found if isinstance(found, Mapping) else None


def _unchanged(schema: Schema, value: Any, old: Any) -> bool:
    """Whether the server can tell that nothing changed; of parts without a schema it cannot, however alike they are."""
    if isinstance(value, Mapping) and isinstance(old, Mapping):
        return value.keys() == old.keys() and all(
            (below := _below(schema, key)) is not None and _unchanged(below, one, old[key])
            for key, one in value.items()
        )
    return bool(value == old)


def _broken_rules(schema: Schema, value: Any, old: Any, path: str, stood: bool = False) -> Iterator[str]:
    stood = stood if old is None else _unchanged(schema, value, old)
    for rule in schema.get("x-kubernetes-validations") or []:
        transition = re.search(r"\boldSelf\b", rule["rule"])
        if old is None if transition else stood:
            continue
        try:
            holds = _program(rule["rule"]).execute({"self": value, **({"oldSelf": old} if transition else {})})
        except Exception as error:
            holds = f"{error} evaluating rule: "
        if holds is not True:
            said = (holds or "") + (rule.get("message") or f"failed rule: {rule['rule']}")
            shown = "" if isinstance(value, dict | list) else f"{json.dumps(value, ensure_ascii=False)}: "
            yield f"{path.lstrip('.') or '<nil>'}: Invalid value: {shown}{said}"
    if isinstance(value, dict):
        properties, free = schema.get("properties") or {}, schema.get("additionalProperties")
        for key, one in value.items():
            below = properties.get(key) or (free if isinstance(free, dict) else None)
            if below:
                place = f"{path}.{key}" if key in properties else f"{path}[{key}]"
                yield from _broken_rules(below, one, _before(schema, value, old, key), place, stood)
    elif isinstance(value, list):
        for index, one in enumerate(value):
            before = _before(schema, value, old, index)
            yield from _broken_rules(schema.get("items") or {}, one, before, f"{path}[{index}]", stood)
