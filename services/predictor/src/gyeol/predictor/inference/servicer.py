"""KServe's gRPC servicer behind the doors of the chassis: its errors get the meanings ours have."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from gyeol.chassis.errors import InternalError, InvalidError, NotReadyError
from gyeol.predictor.errors import ModelUnknownError, RequestError
from gyeol.predictor.inference.kserve import (
    InferenceError,
    InferenceServicer,
    InvalidInput,
    ModelNotFound,
    ModelNotReady,
)


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

    async def RepositoryModelLoad(self, request: Any, context: Any) -> Any:
        raise _fixed()

    async def RepositoryModelUnload(self, request: Any, context: Any) -> Any:
        raise _fixed()


def _fixed() -> RequestError:
    return RequestError("a predictor serves the model it was started with; deploy another one", field="model_name")


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
    except InferenceError as error:
        raise InternalError(str(error)) from None
