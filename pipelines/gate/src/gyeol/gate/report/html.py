"""The report for a person: one self-contained HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, select_autoescape

from gyeol.gate.report.document import NOTES
from gyeol.gate.report.markdown import percent, points
from gyeol.gate.report.plot import bars, forest


def html(document: Mapping[str, Any], examples: Sequence[Mapping[str, Any]]) -> str:
    """Renders the document with plots and examples of items whose outcome changed (already masked)."""
    environment = Environment(
        loader=PackageLoader("gyeol.gate", "report"), autoescape=select_autoescape(["html", "j2"])
    )
    environment.filters.update(percent=percent, points=points)
    by_suite: dict[tuple[str, str], Mapping[str, Any]] = {}
    for one in document["criteria"]:
        if one["strata"]:
            by_suite.setdefault((one["suite"], one["metric"]), one)
    figures = {f"{suite}/{metric}": bars(one["strata"], metric) for (suite, metric), one in by_suite.items()}
    template = environment.get_template("report.html.j2")
    return template.render(
        document=document,
        results={result: korean for result, (korean, _, _) in NOTES.items()},
        forest=forest(document["criteria"]),
        figures=figures,
        strata={f"{suite}/{metric}": one["strata"] for (suite, metric), one in by_suite.items()},
        examples=examples,
    )
