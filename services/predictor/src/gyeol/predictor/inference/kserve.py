"""KServe's server side, without what only its cluster client and its data frames need.

`import kserve` loads a Kubernetes client, and its tensors name a pandas type in a signature: together 130 MB and several seconds
that a language model server never uses. So the package is entered without running its `__init__`, and while its modules load,
pandas is an empty stand-in. Whoever imports pandas later gets the real one.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import sys
import types
import warnings
from collections.abc import Iterator

from fastapi.exceptions import FastAPIDeprecationWarning

from gyeol.chassis.lean import without


@contextlib.contextmanager
def _entered() -> Iterator[None]:
    if "kserve" not in sys.modules and (spec := importlib.util.find_spec("kserve")):
        sys.modules["kserve"] = importlib.util.module_from_spec(spec)
    if "pandas" in sys.modules:
        yield
        return
    stand_in = types.ModuleType("pandas")
    stand_in.DataFrame = type("DataFrame", (), {})  # type: ignore[attr-defined]
    sys.modules["pandas"] = stand_in
    try:
        yield
    finally:
        del sys.modules["pandas"]


with _entered(), without("rich"):
    from kserve.errors import InferenceError, InvalidInput, ModelNotFound, ModelNotReady
    from kserve.model import Model
    from kserve.model_repository import ModelRepository
    from kserve.model_server import app
    from kserve.protocol.dataplane import DataPlane
    from kserve.protocol.grpc.grpc_predict_v2_pb2_grpc import add_GRPCInferenceServiceServicer_to_server
    from kserve.protocol.grpc.servicer import InferenceServicer
    from kserve.protocol.infer_type import InferOutput, InferRequest, InferResponse
    from kserve.protocol.model_repository_extension import ModelRepositoryExtension
    from kserve.protocol.rest.server import RESTServer

# KServe logs every refused request as an error with a traceback; what is our own fault, uvicorn logs too.
logging.getLogger("kserve").setLevel(logging.CRITICAL)
# Its application is made with a response class that FastAPI advises against.
warnings.filterwarnings("ignore", category=FastAPIDeprecationWarning, message="ORJSONResponse")

__all__ = [
    "DataPlane",
    "InferOutput",
    "InferRequest",
    "InferResponse",
    "InferenceError",
    "InferenceServicer",
    "InvalidInput",
    "Model",
    "ModelNotFound",
    "ModelNotReady",
    "ModelRepository",
    "ModelRepositoryExtension",
    "RESTServer",
    "add_GRPCInferenceServiceServicer_to_server",
    "app",
]
