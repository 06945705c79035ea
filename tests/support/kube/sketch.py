"""Definitions of the kinds of others, drawn from their projects' own client libraries, where the originals are not at hand.

The libraries know every field and its type, so a misspelled field or a wrong type is refused as by a real server.
Rules, defaults and keys of lists are not in them.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Any

import kserve.models
import kubeflow.training.models
import kubeflow_trainer_api.models
import kubernetes.client
from pydantic import BaseModel

from support.kube.crd import Definition, Schema

_FREE: Schema = {"x-kubernetes-preserve-unknown-fields": True}
_INT_OR_STRING: Schema = {"x-kubernetes-int-or-string": True}
_PLAIN: Mapping[str, Schema] = {
    "str": {"type": "string"},
    "bool": {"type": "boolean"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "datetime": {"type": "string", "format": "date-time"},
    "ResourceQuantity": _INT_OR_STRING,
}


def sketches() -> tuple[Definition, ...]:
    """PyTorchJob, TrainJob, InferenceService and Kueue's Workload, which has no client library and takes any field."""
    training, serving = vars(kubeflow.training.models), vars(kserve.models)
    trainer = kubeflow_trainer_api.models
    return (
        _defined("kubeflow.org", "v1", "PyTorchJob", _swagger("KubeflowOrgV1PyTorchJobSpec", training)),
        _defined("trainer.kubeflow.org", "v1alpha1", "TrainJob", _pydantic(trainer.TrainerV1alpha1TrainJobSpec)),
        _defined("serving.kserve.io", "v1beta1", "InferenceService", _swagger("V1beta1InferenceServiceSpec", serving)),
        _defined("kueue.x-k8s.io", "v1beta2", "Workload", {"type": "object", **_FREE}),
    )  # fmt: skip


def _defined(group: str, version: str, kind: str, schema: Schema) -> Definition:
    plural = f"{kind.lower()}s"
    properties = {"spec": schema, "status": {"type": "object", **_FREE}}
    return Definition.of(
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}"},
            "spec": {
                "group": group,
                "scope": "Namespaced",
                "names": {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()},
                "versions": [
                    {
                        "name": version,
                        "served": True,
                        "storage": True,
                        "subresources": {"status": {}},
                        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
                    }
                ],
            },
        }
    )


def _swagger(kind: str, models: Mapping[str, Any]) -> Schema:
    """From a model that names its types in text: `str`, `list[V1Container]`, `dict(str, str)`."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind.startswith("list["):
        return {"type": "array", "items": _swagger(kind[5:-1], models)}
    if kind == "dict(str, str)":  # quantities, which may be numbers, are told as text too
        return {"type": "object", "additionalProperties": _INT_OR_STRING}
    if kind.startswith("dict("):
        return {"type": "object", "additionalProperties": _swagger(kind[5:-1].partition(", ")[2], models)}
    model = models.get(kind) or getattr(kubernetes.client, kind, None)
    if model is None:
        return _FREE
    names: Mapping[str, str] = model.attribute_map
    fields = {names[name]: _swagger(of, models) for name, of in model.openapi_types.items()}
    return {"type": "object", "properties": fields} if fields else _FREE


def _pydantic(kind: Any) -> Schema:
    """From a model that names its types in annotations."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, typing.Annotated):
        return _pydantic(next(one for one in arguments if one is not type(None)))
    if origin is list:
        return {"type": "array", "items": _pydantic(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _pydantic(arguments[1])}
    if not (isinstance(kind, type) and issubclass(kind, BaseModel)):
        return _PLAIN.get(getattr(kind, "__name__", ""), _FREE)
    if kind.__name__.endswith(("IntOrString", "Quantity")):
        return _INT_OR_STRING
    fields = {
        one.alias or name: _pydantic(one.annotation)
        for name, one in kind.model_fields.items()
        if name != "additional_properties"
    }
    return {"type": "object", "properties": fields} if fields else _FREE
