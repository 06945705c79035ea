"""The models are what custom resource definitions are made from."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.pack import CulturePack
from gyeol.reconcile.promotion import ModelPromotion

KINDS = [AlignmentRun, ModelPromotion, CulturePack]


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: type[BaseModel]) -> None:
    schema = kind.model_json_schema()
    fields = {
        f"{name}.{field}": described
        for name, part in {kind.__name__: schema, **schema["$defs"]}.items()
        for field, described in part.get("properties", {}).items()
    }
    for field, described in fields.items():
        part = schema["$defs"].get(described.get("$ref", "").rpartition("/")[2], {})  # pydantic says the same text once
        assert described.get("description") or part.get("description"), field


@pytest.mark.parametrize("kind", KINDS)
def test_no_number_is_a_float(kind: type[BaseModel]) -> None:
    def types(node: Any) -> set[str]:
        if isinstance(node, dict):
            own = {node["type"]} if isinstance(node.get("type"), str) else set()
            return own.union(*(types(value) for value in node.values()))
        if isinstance(node, list):
            return set().union(*(types(value) for value in node))
        return set()

    assert "number" not in types(kind.model_json_schema())


@pytest.mark.parametrize("kind", KINDS)
def test_lists_of_a_status_are_bounded(kind: type[BaseModel]) -> None:
    status = kind.model_fields["status"].annotation
    assert isinstance(status, type)
    assert issubclass(status, BaseModel)
    for name, field in status.model_json_schema()["properties"].items():
        assert field.get("type") != "array" or "maxItems" in field, name
