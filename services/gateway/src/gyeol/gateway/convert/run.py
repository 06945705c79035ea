"""Runs, their books and what they made."""

from __future__ import annotations

import json
import math
from typing import Any

from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.gateway.convert.record import moment
from gyeol.gateway.view.run import Account, Artifact, Budget, Condition, MetricPoint, Run, Tally


def run_from_pb(run: pb.Run) -> Run:
    status = _object(run.status_json)
    data = status.get("data") or {}
    strata = data.get("strata") or ()
    return Run(
        id=run.id,
        name=run.name,
        state=str(status.get("state", "")),
        reason=str(status.get("reason", "")),
        progress=str(status.get("progress", "")),
        verdict=str(status.get("verdict", "")),
        target=int(data.get("target", 0)),
        targets={str(one["name"]): int(one["target"]) for one in strata},
        created_at=moment(run.created_at),
        spec_digest=run.spec_digest,
        spec=_object(run.spec_json),
        conditions=tuple(_condition(one) for one in status.get("conditions") or ()),
    )


def account_from_pb(account: pb.Account) -> Account:
    strata = tuple(
        Tally(
            name=one.stratum,
            inputs=one.inputs,
            results=one.accepted,
            drops=one.drops,
            failures=one.failures,
            pending=one.pending,
        )
        for one in account.strata
    )
    stages = tuple(
        Tally(
            name=one.stage,
            inputs=one.inputs,
            results=one.results,
            drops=one.drops,
            failures=one.failures,
            pending=one.pending,
        )
        for one in account.stages
    )
    return Account(
        balanced=account.balanced,
        inputs=account.inputs,
        triplets=account.triplets,
        benign_triplets=account.benign_triplets,
        failures=account.failures,
        pending=sum(one.pending for one in strata),
        gaps=account.gaps,
        awaiting_review=account.awaiting_review,
        calls=account.calls,
        cached_calls=account.cached_calls,
        stages=stages,
        strata=strata,
        drops=dict(sorted(account.drops.items(), key=lambda drop: (-drop[1], drop[0]))),
        budget=_budget(account),
    )


def artifact_from_pb(artifact: pb.Artifact) -> Artifact:
    return Artifact(
        kind=artifact.kind,
        digest=artifact.digest,
        location=artifact.location,
        inputs=tuple(artifact.inputs),
        manifest=_object(artifact.manifest_json),
        created_at=moment(artifact.created_at),
    )


def curves_from_pb(points: list[pb.MetricPoint]) -> dict[str, tuple[MetricPoint, ...]]:
    """Points by metric name, in order of steps."""
    curves: dict[str, list[MetricPoint]] = {}
    for point in points:
        value = point.value if math.isfinite(point.value) else None
        curves.setdefault(point.name, []).append(MetricPoint(step=point.step, value=value))
    return {name: tuple(curve) for name, curve in curves.items()}


def _budget(account: pb.Account) -> Budget:
    budget = account.budget
    return Budget(
        money_limit=budget.money_limit or None,
        currency=budget.currency,
        token_limit=budget.token_limit if budget.HasField("token_limit") else None,
        money=account.money,
        tokens=account.tokens,
        money_reserved=budget.money_reserved,
        tokens_reserved=budget.tokens_reserved,
    )


def _condition(one: dict[str, Any]) -> Condition:
    return Condition(
        type=str(one.get("type", "")),
        status=str(one.get("status", "Unknown")),
        reason=str(one.get("reason", "")),
        message=str(one.get("message", "")),
        since=str(one.get("lastTransitionTime", "")),
    )


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text or "{}")
    return value if isinstance(value, dict) else {}
