"""What can go wrong when a model is served. Each message names the field, the value and the remedy, never a prompt.

GyeolError
+-- InvalidError
|   +-- FolderError         the model folder cannot be served
|   +-- RequestError        a request that cannot be answered as it stands; knows the field
+-- NotFoundError
|   +-- ModelUnknownError   no such model here
+-- NotReadyError
|   +-- StoppingError       the server stops
|   +-- LoadError           the model cannot be loaded
|   +-- GoneError           nobody waits for the answer any more
+-- ExhaustedError
    +-- QueueFullError      more requests wait than may
"""

from __future__ import annotations

from gyeol.chassis.errors import ExhaustedError, InvalidError, NotFoundError, NotReadyError


class FolderError(InvalidError):
    """The model folder cannot be served as it is."""


class RequestError(InvalidError):
    """A request cannot be answered as it stands.

    Args:
      message: For the caller.
      field: The field of the request that is wrong.
      code: Machine-readable kind, as the OpenAI API names it.
    """

    def __init__(self, message: str, *, field: str, code: str = "invalid_value") -> None:
        super().__init__(message)
        self.field = field
        self.code = code


class ModelUnknownError(NotFoundError):
    """No model of that name is served here."""

    field = "model"
    code = "model_not_found"


class StoppingError(NotReadyError):
    """The server stops."""


class LoadError(NotReadyError):
    """The model cannot be loaded."""


class GoneError(NotReadyError):
    """Nobody waits for the answer any more."""


class QueueFullError(ExhaustedError):
    """More requests wait than may."""
