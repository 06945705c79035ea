"""KServe's gRPC servicer behind the doors of the chassis: its errors get the meanings ours have."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from gyeol.chassis.errors import InvalidError, NotReadyError
from gyeol.predictor.errors import ModelUnknownError
from gyeol.predictor.inference.library import InferenceServicer, InvalidInput, ModelNotFound, ModelNotReady


class TextServicer(InferenceServicer):  # type: ignore[misc]
    """GRPCInferenceService."""

    async def ModelReady(self, request: Any, context: Any) -> Any:
        with _meant():
            return await super().ModelReady(request, context)

    async def ModelMetadata(self, request: Any, context: Any) -> Any:
        with _meant():
            return await super().ModelMetadata(request, context)

    async def ModelInfer(self, request: Any, context: Any) -> Any:
        with _meant():
            return await super().ModelInfer(request, context)


@contextlib.contextmanager
def _meant() -> Iterator[None]:
    try:
        yield
    except InvalidInput as error:
        raise InvalidError(str(error)) from None
    except ModelNotFound as error:
        raise ModelUnknownError(str(error)) from None
    except ModelNotReady as error:
        raise NotReadyError(str(error)) from None
