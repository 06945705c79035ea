"""Affinity of pods, field by field as Kubernetes has it.

Written out, although Kubernetes checks it too: of a part without a schema the API server cannot tell that it did not change.
A rule that is tightened beside such a part would hold for old objects as well, and they could no longer be suspended or labelled.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from gyeol.reconcile.schema import Described

_Key = Annotated[str, Field(max_length=317)]
_Text = Annotated[str, Field(max_length=253)]
_Values = Annotated[tuple[_Text, ...], Field(max_length=256)]
_Keys = Annotated[tuple[_Key, ...], Field(max_length=16)]
_Weight = Annotated[int, Field(ge=1, le=100)]


class _Sparse(Described):
    """What is absent stays absent: an empty selector means everything, none means nothing."""

    @model_serializer(mode="wrap")
    def _written(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in handler(self).items() if value is not None}


class NodeRequirement(_Sparse):
    """One requirement on the labels or fields of a node."""

    key: _Key
    """Label or field."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    """How key and values are compared."""
    values: _Values | None = None
    """Values; one whole number for `Gt` and `Lt`, none for `Exists` and `DoesNotExist`."""


class NodeTerm(_Sparse):
    """Requirements that all have to hold."""

    match_expressions: Annotated[tuple[NodeRequirement, ...], Field(max_length=32)] | None = None
    """Requirements on labels."""
    match_fields: Annotated[tuple[NodeRequirement, ...], Field(max_length=32)] | None = None
    """Requirements on fields, such as `metadata.name`."""


class NodeChoice(_Sparse):
    """Nodes of which one term is true."""

    node_selector_terms: Annotated[tuple[NodeTerm, ...], Field(min_length=1, max_length=32)]
    """Terms; one of them has to be true."""


class NodePreference(_Sparse):
    """Nodes that are liked better."""

    weight: _Weight
    """How much, from 1 to 100."""
    preference: NodeTerm
    """Which nodes."""


class NodeAffinity(_Sparse):
    """Which nodes a pod may run on, or should."""

    required_during_scheduling_ignored_during_execution: NodeChoice | None = None
    """Nodes that are possible at all."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[tuple[NodePreference, ...], Field(max_length=32)] | None
    ) = None
    """Nodes that are liked better."""


class LabelRequirement(_Sparse):
    """One requirement on the labels of a pod or a namespace."""

    key: _Key
    """Label."""
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    """How key and values are compared."""
    values: _Values | None = None
    """Values; none for `Exists` and `DoesNotExist`."""


class LabelSelector(_Sparse):
    """Selects by labels; an empty one selects everything."""

    match_labels: Annotated[dict[_Key, Annotated[str, Field(max_length=63)]], Field(max_length=32)] | None = None
    """Labels with exactly these values."""
    match_expressions: Annotated[tuple[LabelRequirement, ...], Field(max_length=32)] | None = None
    """Requirements that all have to hold."""


class PodTerm(_Sparse):
    """Pods that a pod is to be near, or far from."""

    topology_key: Annotated[str, Field(min_length=1, max_length=317)]
    """Label of nodes that says what near means, for example `topology.kubernetes.io/zone`."""
    label_selector: LabelSelector | None = None
    """Which pods; absent: none."""
    namespaces: Annotated[tuple[Annotated[str, Field(max_length=63)], ...], Field(max_length=64)] | None = None
    """Namespaces of these pods; absent: the pod's own, unless `namespaceSelector` selects some."""
    namespace_selector: LabelSelector | None = None
    """Further namespaces of these pods by label; empty: all."""
    match_label_keys: _Keys | None = None
    """Labels whose values must be those of the pod itself."""
    mismatch_label_keys: _Keys | None = None
    """Labels whose values must not be those of the pod itself."""


class PodPreference(_Sparse):
    """Pods that it is better to be near, or far from."""

    weight: _Weight
    """How much, from 1 to 100."""
    pod_affinity_term: PodTerm
    """Which pods."""


class PodAffinity(_Sparse):
    """Which pods a pod has to be near, or far from."""

    required_during_scheduling_ignored_during_execution: Annotated[tuple[PodTerm, ...], Field(max_length=32)] | None = (
        None
    )
    """Terms that all have to hold."""
    preferred_during_scheduling_ignored_during_execution: (
        Annotated[tuple[PodPreference, ...], Field(max_length=32)] | None
    ) = None
    """Terms that are liked."""


class Affinity(_Sparse):
    """Where pods may run, as in Kubernetes."""

    node_affinity: NodeAffinity | None = None
    """Nodes to run on."""
    pod_affinity: PodAffinity | None = None
    """Pods to be near to."""
    pod_anti_affinity: PodAffinity | None = None
    """Pods to be far from."""
