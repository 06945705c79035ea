"""A batch for the tracking API of MLflow (`runs/log-batch`): metrics, parameters and tags; the caller adds the run id."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any


def tracking_batch(document: Mapping[str, Any]) -> dict[str, Any]:
    """Metrics of every criterion that was measured; what was not is left out, because MLflow knows no missing number."""
    at = int(dt.datetime.fromisoformat(document["made_at"]).timestamp() * 1000)
    metrics: dict[str, float] = {}
    for one in document["criteria"]:
        if one["overall"]:
            for side in ("baseline", "candidate", "change"):
                metrics[f"{one['suite']}.{one['metric']}.{side}"] = one["overall"][side]["estimate"]
        metrics[f"{one['name']}.adjusted_p"] = one["adjusted_p"]
    return {
        "metrics": [
            {"key": key, "value": value, "timestamp": at, "step": 0}
            for key, value in sorted(metrics.items())
            if value is not None
        ],
        "params": [
            {"key": f"bound_to.{key}", "value": str(value)[:500]} for key, value in sorted(document["bound_to"].items())
        ],
        "tags": [
            {"key": "gyeol.verdict", "value": document["verdict"]},
            {"key": "gyeol.policy", "value": document["policy"]["name"]},
        ],
    }
