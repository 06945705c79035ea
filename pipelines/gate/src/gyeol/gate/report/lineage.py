"""An OpenLineage run event: what the verdict was made from, and the assertions it makes about the model."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

PRODUCER = "urn:gyeol:gate"
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
_ASSERTIONS = "https://openlineage.io/spec/facets/1-0-1/DataQualityAssertionsDatasetFacet.json#/$defs/DataQualityAssertionsDatasetFacet"


def lineage(document: Mapping[str, Any]) -> dict[str, Any]:
    """The event; its run id follows from what the verdict is bound to, so that a repetition is the same run."""
    bound = document["bound_to"]
    run = uuid.uuid5(uuid.NAMESPACE_URL, PRODUCER + "/" + "/".join(str(bound[key]) for key in sorted(bound)))
    assertions = [
        {"assertion": one["name"], "success": one["result"] == "Pass", "column": f"{one['suite']}/{one['metric']}"}
        for one in document["criteria"]
    ]
    facet = {"_producer": PRODUCER, "_schemaURL": _ASSERTIONS, "assertions": assertions}
    inputs: list[dict[str, Any]] = [
        {"namespace": "gyeol", "name": f"{what}/{bound[what]}"}
        for what in ("baseline", "dataset", "pack", "policy")
        if bound[what]
    ]
    model = {"namespace": "gyeol", "name": f"model/{bound['model']}", "inputFacets": {"dataQualityAssertions": facet}}
    return {
        "eventType": "COMPLETE",
        "eventTime": document["made_at"],
        "run": {"runId": str(run)},
        "job": {"namespace": "gyeol", "name": f"gate.{document['policy']['name']}"},
        "inputs": [model, *inputs],
        "outputs": [{"namespace": "gyeol", "name": f"gate-verdict/{document['verdict']}/{run}"}],
        "producer": PRODUCER,
        "schemaURL": _SPEC,
    }
