"""A served model as KServe sees it: texts in, continuations out."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from gyeol.chassis.errors import Meaning
from gyeol.chassis.outcomes import meaning_of, told
from gyeol.predictor.domain import Generated
from gyeol.predictor.inference.kserve import (
    InferenceError,
    InferOutput,
    InferRequest,
    InferResponse,
    InvalidInput,
    Model,
    ModelNotReady,
)
from gyeol.predictor.inference.request import samplings, texts_of_instances, texts_of_tensors
from gyeol.predictor.service import Serving

INPUT, OUTPUT, FINISH = "text", "text", "finish_reason"


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

    async def healthy(self) -> bool:
        return self._serving.loaded or not self._preloaded

    def get_input_types(self) -> list[dict[str, Any]]:
        return [{"name": INPUT, "datatype": "BYTES", "shape": [-1]}]

    def get_output_types(self) -> list[dict[str, Any]]:
        return [{"name": name, "datatype": "BYTES", "shape": [-1]} for name in (OUTPUT, FINISH)]

    async def predict(
        self, payload: InferRequest | Mapping[str, Any] | bytes, _headers: Mapping[str, str] | None = None
    ) -> InferResponse | dict[str, Any]:
        """Continues texts, v2 tensors or v1 instances.

        Raises:
          InvalidInput: The request is wrong.
          ModelNotReady: The model cannot be loaded, or too much waits.
        """
        if not isinstance(payload, InferRequest):
            texts, parameters = texts_of_instances(payload)
            made = await self._continued(texts, parameters, "instances")
            return {"predictions": [{"text": one.text, "finish_reason": one.finish.value} for one in made]}
        made = await self._continued(texts_of_tensors(payload), payload.parameters or {}, "inputs")
        outputs = [
            InferOutput(name, [len(made)], "BYTES", values)
            for name, values in (
                (OUTPUT, [one.text for one in made]),
                (FINISH, [one.finish.value for one in made]),
            )
        ]
        return InferResponse(payload.id or uuid.uuid4().hex, self.name, outputs)

    async def _continued(self, texts: Sequence[str], parameters: Mapping[str, Any], field: str) -> list[Generated]:
        wanted = samplings(parameters, len(texts), self._max_tokens)
        try:
            prompts = [await self._serving.text_prompt(text) for text in texts]
            return await self._serving.generated(list(zip(prompts, wanted, strict=True)), field)
        except Exception as error:
            raise self._kserve_error(error) from error

    def _kserve_error(self, error: Exception) -> Exception:
        meaning = meaning_of(error)
        if meaning is Meaning.INVALID:
            return InvalidInput(told(error))  # type: ignore[no-any-return]
        if meaning in (Meaning.NOT_READY, Meaning.EXHAUSTED):
            return ModelNotReady(self.name, told(error))  # type: ignore[no-any-return]
        return InferenceError(told(error))  # type: ignore[no-any-return]
