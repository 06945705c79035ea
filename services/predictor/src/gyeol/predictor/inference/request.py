"""What a request of the KServe door says: texts and how they are continued."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gyeol.predictor.domain import Sampling
from gyeol.predictor.inference.kserve import InferRequest, InvalidInput
from gyeol.predictor.openai.error import complaint


class _Parameters(BaseModel):
    """Unknown names are refused: a misspelt one would be without effect, and nobody would know."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float = Field(default=1.0, ge=0, le=2)
    top_p: float = Field(default=1.0, gt=0, le=1)
    seed: int | None = Field(default=None, ge=0, lt=2**62)
    stop: str | None = Field(default=None, min_length=1)


def samplings(parameters: Mapping[str, Any], count: int, max_tokens: int) -> list[Sampling]:
    """How each of `count` texts is continued.

    Raises:
      InvalidInput: A parameter is unknown or out of range.
    """
    try:
        asked = _Parameters.model_validate({name: _plain(value) for name, value in parameters.items()})
    except ValidationError as error:
        raise InvalidInput("parameters." + complaint(error.errors())[0]) from None
    first = secrets.randbits(62) if asked.seed is None else asked.seed
    stop = (asked.stop,) if asked.stop else ()
    return [
        Sampling(asked.max_tokens or max_tokens, asked.temperature, asked.top_p, first + place, stop)
        for place in range(count)
    ]


def texts_of_instances(payload: Mapping[str, Any] | bytes) -> tuple[list[str], Mapping[str, Any]]:
    """Texts and parameters of a v1 request.

    Raises:
      InvalidInput: There are none.
    """
    if not isinstance(payload, Mapping):
        raise InvalidInput("the body is no JSON object; send one, with content-type: application/json")
    instances, parameters = payload.get("instances"), payload.get("parameters") or {}
    if not isinstance(instances, list) or not instances or not all(isinstance(one, str) for one in instances):
        raise InvalidInput("instances: give a list of texts")
    if not isinstance(parameters, Mapping):
        raise InvalidInput("parameters: give an object")
    return instances, parameters


def texts_of_tensors(request: InferRequest) -> list[str]:
    """Texts of a v2 request.

    Raises:
      InvalidInput: There is no tensor of texts.
    """
    if len(request.inputs) != 1 or request.inputs[0].datatype != "BYTES":
        raise InvalidInput("inputs: give one tensor of datatype BYTES, with a text in each element")
    try:
        return [
            one.decode() if isinstance(one, bytes) else str(one)
            for one in request.inputs[0].as_numpy().ravel().tolist()
        ]
    except UnicodeDecodeError:
        raise InvalidInput("inputs.0: holds a text that is no UTF-8; send UTF-8") from None


def _plain(value: Any) -> Any:
    """Over gRPC a parameter is a message with one of several fields set."""
    if hasattr(value, "WhichOneof"):
        return getattr(value, value.WhichOneof("parameter_choice"))
    return value
