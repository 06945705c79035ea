"""The suites a run asks for: a JSON list of names with the number of items and the place of the data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.suite import FileSource, HarnessSource, Suite, shipped


class Wanted(BaseModel):
    """One entry of the run's `evaluation.suites`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    items: Annotated[int, Field(ge=1, le=100_000)] | None = None
    """Items to draw; absent: as many as the suite says."""
    data: str | None = None
    """Where the suite's public file lies, for suites that need one."""


def wanted_suites(path: Path) -> list[Suite]:
    """Reads the list of suites of a run (JSON) and resolves each by name.

    Raises:
      SuiteError: Names the file, the entry, the value and the remedy.
    """
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise SuiteError(f"{path}: expected a JSON list of suites: {error}") from error
    if not isinstance(entries, list) or not entries:
        raise SuiteError(f"{path}: expected a list of at least one suite")
    known = shipped()
    suites = [_resolved(path, number, entry, known) for number, entry in enumerate(entries)]
    twice = sorted({suite.name for suite in suites if [one.name for one in suites].count(suite.name) > 1})
    if twice:
        raise SuiteError(f"{path}: {', '.join(twice)} named twice; name each suite once")
    return suites


def _resolved(path: Path, number: int, entry: Any, known: dict[str, Suite]) -> Suite:
    try:
        wanted = Wanted.model_validate(entry)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise SuiteError(
            f"{path}: suites[{number}].{where}: {problem['msg']} (value: {problem['input']!r:.80})"
        ) from None
    suite = known.get(wanted.name)
    if suite is None:
        raise SuiteError(f"{path}: suites[{number}].name: no suite {wanted.name!r}; known are {', '.join(known)}")
    changes: dict[str, Any] = {} if wanted.items is None else {"items": wanted.items}
    if isinstance(suite.source, FileSource) and not wanted.data:
        raise SuiteError(
            f"{path}: suites[{number}].data: {suite.name} needs the public file; give its path or hf:owner/name"
        )
    if wanted.data:
        if not isinstance(suite.source, FileSource | HarnessSource):
            raise SuiteError(f"{path}: suites[{number}].data: {suite.name} takes no data; remove the field")
        changes["data"] = wanted.data
    return suite.model_copy(update={"source": suite.source.model_copy(update=changes)}) if changes else suite
