"""A served model as KServe sees it: texts in, continuations out."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gyeol.chassis.errors import GyeolError, Meaning
from gyeol.predictor.domain import Generated, Sampling
from gyeol.predictor.inference.library import (
    InferOutput,
    InferRequest,
    InferResponse,
    InvalidInput,
    Model,
    ModelNotReady,
)
from gyeol.predictor.openai.error import complaint
from gyeol.predictor.service import Serving

INPUT, OUTPUT, FINISH = "text", "text", "finish_reason"


class _Parameters(BaseModel):
    """How texts are continued; unknown names are refused, for a misspelt one would be silently without effect."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_tokens: int | None = Field(default=None, ge=1)
    temperature: float = Field(default=1.0, ge=0, le=2)
    top_p: float = Field(default=1.0, gt=0, le=1)
    seed: int | None = Field(default=None, ge=0, lt=2**63)
    stop: str | None = None


class TextModel(Model):  # type: ignore[misc]
    """KServe's view of what is served.

    Args:
      serving: The model.
      preloaded: Ready only once it is loaded; otherwise ready as soon as it can be.
      max_tokens: Longest continuation where a request names none.
    """

    def __init__(self, serving: Serving, *, preloaded: bool, max_tokens: int) -> None:
        super().__init__(serving.name)
        self._serving = serving
        self._preloaded = preloaded
        self._max_tokens = max_tokens
        self._stopped = False

    async def healthy(self) -> bool:
        return not self._stopped and (self._serving.loaded or not self._preloaded)

    def stop(self) -> None:
        self._stopped = True

    def get_input_types(self) -> list[dict[str, Any]]:
        return [{"name": INPUT, "datatype": "BYTES", "shape": [-1]}]

    def get_output_types(self) -> list[dict[str, Any]]:
        return [{"name": name, "datatype": "BYTES", "shape": [-1]} for name in (OUTPUT, FINISH)]

    async def predict(
        self, payload: InferRequest | Mapping[str, Any], _headers: Mapping[str, str] | None = None
    ) -> InferResponse | dict[str, Any]:
        """Continues texts, v2 tensors or v1 instances.

        Raises:
          InvalidInput: The request is wrong.
          ModelNotReady: The model cannot be loaded.
        """
        if not isinstance(payload, InferRequest):
            made = await self._continued(_instances(payload), payload.get("parameters") or {})
            return {"predictions": [{"text": one.text, "finish_reason": one.finish.value} for one in made]}
        tensor = payload.inputs[0] if payload.inputs else None
        if tensor is None or tensor.datatype != "BYTES":
            raise InvalidInput(f"inputs: give one tensor of datatype BYTES, named {INPUT}, one text per element")
        texts = [one.decode() if isinstance(one, bytes) else str(one) for one in tensor.as_numpy().ravel().tolist()]
        made = await self._continued(texts, payload.parameters or {})
        return InferResponse(
            payload.id,
            self.name,
            [
                _output(OUTPUT, [one.text for one in made]),
                _output(FINISH, [one.finish.value for one in made]),
            ],
        )

    async def _continued(self, texts: list[str], parameters: Mapping[str, Any]) -> list[Generated]:
        try:
            asked = _Parameters.model_validate({name: _plain(value) for name, value in parameters.items()})
        except ValidationError as error:
            raise InvalidInput("parameters." + complaint(error.errors())[0]) from None
        first = secrets.randbits(62) if asked.seed is None else asked.seed
        stop = (asked.stop,) if asked.stop else ()
        try:
            prompts = [await self._serving.text_prompt(text) for text in texts]
            return await asyncio.gather(
                *(
                    self._serving.generated(
                        prompt,
                        Sampling(
                            asked.max_tokens or self._max_tokens, asked.temperature, asked.top_p, first + place, stop
                        ),
                        f"inputs.{place}",
                    )
                    for place, prompt in enumerate(prompts)
                )
            )
        except GyeolError as error:
            if error.meaning is Meaning.INVALID:
                raise InvalidInput(str(error)) from None
            raise ModelNotReady(self.name, str(error)) from None


def _instances(payload: Mapping[str, Any]) -> list[str]:
    found = payload.get("instances")
    if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
        raise InvalidInput("instances: give a list of texts")
    return found


def _plain(value: Any) -> Any:
    """A v2 parameter over gRPC is a message with one of several fields set."""
    if hasattr(value, "WhichOneof"):
        return getattr(value, value.WhichOneof("parameter_choice"))
    return value


def _output(name: str, values: list[str]) -> InferOutput:
    return InferOutput(name, [len(values)], "BYTES", values)
