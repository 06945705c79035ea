"""JUnit XML: a criterion is a test case; Inconclusive is an error, not a failure, because nothing was shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from xml.etree import ElementTree as Xml


def junit(document: Mapping[str, Any]) -> str:
    """One test suite with a case per criterion, and one for what makes the two sides incomparable."""
    criteria, problems = document["criteria"], document["problems"]
    failures = sum(one["result"] == "Fail" for one in criteria)
    errors = sum(one["result"] == "Inconclusive" for one in criteria) + bool(problems)
    counts = {"tests": str(len(criteria) + bool(problems)), "failures": str(failures), "errors": str(errors)}
    root = Xml.Element("testsuites", counts)
    name = {"name": f"gate {document['policy']['name']}", "timestamp": document["made_at"]}
    suite = Xml.SubElement(root, "testsuite", name | counts)
    for one in criteria:
        case = Xml.SubElement(suite, "testcase", {"classname": f"{one['suite']}.{one['metric']}", "name": one["name"]})
        tag = {"Fail": "failure", "Inconclusive": "error"}.get(one["result"])
        if tag:
            Xml.SubElement(case, tag, {"type": one["code"], "message": one["reason"]}).text = one["reason_ko"]
    if problems:
        case = Xml.SubElement(suite, "testcase", {"classname": "evidence", "name": "comparable"})
        Xml.SubElement(case, "error", {"type": "not-comparable", "message": problems[0]}).text = "\n".join(
            document["problems_ko"]
        )
    Xml.indent(root)
    return Xml.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
