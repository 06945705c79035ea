"""Rules that the API server checks: the same checks as the models make, in the Common Expression Language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import GetJsonSchemaHandler
from pydantic_core import CoreSchema

VALIDATIONS = "x-kubernetes-validations"


@dataclass(frozen=True)
class Rule:
    """One rule about a value; as an annotation of a type it becomes part of the type's schema."""

    expression: str
    """CEL; `self` is the value, `oldSelf` the one before an update."""
    message: str
    """What is wrong, ending with the remedy."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        made = handler(schema)
        return {**made, VALIDATIONS: [*made.get(VALIDATIONS, []), self.written()]}

    def written(self) -> dict[str, str]:
        """As a CustomResourceDefinition writes it."""
        return {"rule": self.expression, "message": self.message}
