"""The strictness that every described object shares."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from gyeol.reconcile.quantity import Name


class Described(BaseModel):
    """A part of an object that a person writes: camelCase outside, snake_case inside.

    A field that is not known, or a value of another type, is refused and never guessed.
    """

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
        serialize_by_alias=True,
    )


class Metadata(BaseModel):
    """The part of Kubernetes' ObjectMeta that a hand reads; the rest of it belongs to the API server."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        use_attribute_docstrings=True,
        serialize_by_alias=True,
    )

    name: Name
    """Name of the object: lower-case letters, digits and `-`, at most 40 characters.

    Forty, because the names of jobs, pods and volumes are made from it and may hold 63.
    """
    namespace: str = ""
    """Namespace on a cluster; the local hand does not use it."""
    uid: str = ""
    """Given by the API server; the local hand uses the run id."""
    generation: int = 1
    """Counts changes of `spec`."""
    labels: dict[str, str] = {}
    """Labels as on any Kubernetes object."""
    annotations: dict[str, str] = {}
    """Annotations as on any Kubernetes object."""
