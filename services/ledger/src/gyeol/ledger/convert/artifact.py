"""Artifacts, metrics and lineage as protos."""

from __future__ import annotations

from datetime import UTC, datetime

from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.lineage.v1 import lineage_pb2
from gyeol.ledger.convert.run import moment_to_pb
from gyeol.ledger.domain.artifact import Artifact, MetricPoint
from gyeol.ledger.domain.node import Node
from gyeol.ledger.errors import FieldInvalidError
from gyeol.ledger.service.lineage import Direction

_DIRECTIONS = {
    lineage_pb2.DIRECTION_ORIGINS: Direction.ORIGINS,
    lineage_pb2.DIRECTION_EFFECTS: Direction.EFFECTS,
}


def artifact_from_pb(artifact: pb.Artifact) -> Artifact:
    return Artifact(
        kind=artifact.kind,
        digest=artifact.digest,
        run_id=artifact.run_id,
        location=artifact.location,
        inputs=tuple(artifact.inputs),
        manifest_json=artifact.manifest_json or "{}",
        created_at=datetime.fromtimestamp(0, UTC),
    )


def artifact_to_pb(artifact: Artifact) -> pb.Artifact:
    return pb.Artifact(
        kind=artifact.kind,
        digest=artifact.digest,
        run_id=artifact.run_id,
        location=artifact.location,
        inputs=artifact.inputs,
        manifest_json=artifact.manifest_json,
        created_at=moment_to_pb(artifact.created_at),
    )


def point_from_pb(point: pb.MetricPoint) -> MetricPoint:
    return MetricPoint(point.step, point.name, point.value)


def point_to_pb(point: MetricPoint) -> pb.MetricPoint:
    return pb.MetricPoint(step=point.step, name=point.name, value=point.value)


def direction_from_pb(direction: lineage_pb2.Direction.ValueType) -> Direction:
    """Raises: FieldInvalidError."""
    if direction not in _DIRECTIONS:
        raise FieldInvalidError("direction", direction, "not set", "Send DIRECTION_ORIGINS or DIRECTION_EFFECTS.")
    return _DIRECTIONS[direction]


def node_to_pb(node: Node) -> lineage_pb2.Node:
    return lineage_pb2.Node(
        kind=node.key.kind,
        id=node.key.id,
        title=node.title,
        facts=node.facts,
        children=[node_to_pb(child) for child in node.children],
        children_left_out=node.left_out,
    )
