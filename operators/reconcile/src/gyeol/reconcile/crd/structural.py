"""The schema of a model as Kubernetes wants it: structural, without references, with rules and list keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from gyeol.reconcile.crd.shape import LIST_KEYS, RULES, SETS
from gyeol.reconcile.rule import VALIDATIONS

_KEPT = (
    "type", "description", "enum", "default", "format", "pattern", "minimum", "maximum",
    "minLength", "maxLength", "minItems", "maxItems", "required",
)  # fmt: skip
_UNIONS = "anyOf"
_INT_OR_STRING = {"integer", "string"}


def structural(model: type[BaseModel]) -> dict[str, Any]:
    """The structural schema of a model, `metadata` left to the API server."""
    written = model.model_json_schema(by_alias=True)
    schema = _Converter(written.get("$defs", {})).converted(written, model.__name__)
    properties = schema["properties"]
    properties["apiVersion"] = {"type": "string"}
    properties["kind"] = {"type": "string"}
    properties["metadata"] = {"type": "object"}
    schema["required"] = ["spec"]
    properties["status"].pop("default", None)
    return schema


class _Converter:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self._definitions = definitions

    def converted(self, schema: Mapping[str, Any], name: str = "") -> dict[str, Any]:
        """One node; `name` is the model it describes, if it describes one."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return self.converted({**self._definitions[name], **beside}, name)
        if _UNIONS in schema:
            return self._union(schema)
        made: dict[str, Any] = {key: schema[key] for key in _KEPT if key in schema}
        if "const" in schema:
            made["enum"] = [schema["const"]]
        made["default"] = _without_nulls(made.get("default"))
        if made["default"] is None:
            del made["default"]
        if made.get("type") == "integer":
            made["format"] = "int64"
        self._object(schema, made, name)
        if "items" in schema:
            made["items"] = _without_defaults(self.converted(schema["items"]))
        rules = [*schema.get(VALIDATIONS, []), *(rule.written() for rule in RULES.get(name, ()))]
        if rules:
            made[VALIDATIONS] = rules
        return made

    def _union(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        branches = [branch for branch in schema[_UNIONS] if branch.get("type") != "null"]
        beside = {key: value for key, value in schema.items() if key != _UNIONS}
        if len(branches) == 1:
            return self.converted({**branches[0], **beside})
        if {branch.get("type") for branch in branches} == _INT_OR_STRING:
            made = self.converted(beside)
            # Without a bound, rules on it cost more than the API server allows, and the whole definition is refused.
            for branch in branches:
                made |= {key: branch[key] for key in branch.keys() & {"maxLength"}}
            made["x-kubernetes-int-or-string"] = True
            return made
        raise TypeError(f"a union that Kubernetes cannot describe: {schema}")

    def _object(self, schema: Mapping[str, Any], made: dict[str, Any], name: str) -> None:
        if schema.get("type") != "object":
            return
        if "properties" in schema:
            made["properties"] = {
                key: _listed(self.converted(value), f"{name}.{key}") for key, value in schema["properties"].items()
            }
            return
        free = schema.get("additionalProperties")
        if not isinstance(free, dict) or not free or "$ref" in free:
            # The API server could not tell that it did not change, and would hold tightened rules against old objects.
            raise TypeError(f"a part without a schema: {schema}")
        made["additionalProperties"] = self.converted(free)
        if "maxProperties" in schema:
            made["maxProperties"] = schema["maxProperties"]


def _without_defaults(schema: dict[str, Any]) -> dict[str, Any]:
    """Entries of lists get their defaults from the model: filled in by the server, they would look like a change to `kubectl apply`."""
    made = {key: value for key, value in schema.items() if key != "default"}
    if "properties" in made:
        made["properties"] = {key: _without_defaults(value) for key, value in made["properties"].items()}
    return made


def _without_nulls(value: Any) -> Any:
    """What is absent is left out: a default must be valid itself."""
    if isinstance(value, dict):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return value


def _listed(schema: dict[str, Any], field: str) -> dict[str, Any]:
    if schema.get("type") != "array":
        return schema
    if field in LIST_KEYS:
        schema["x-kubernetes-list-type"] = "map"
        schema["x-kubernetes-list-map-keys"] = [LIST_KEYS[field]]
    else:
        schema["x-kubernetes-list-type"] = "set" if field in SETS else "atomic"
    return schema
