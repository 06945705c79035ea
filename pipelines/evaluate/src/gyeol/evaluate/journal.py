"""The journal of an evaluation under way: one line per finished item, so that a restart asks nothing twice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gyeol.evaluate.error import ResumeError
from gyeol.evaluate.outcome import Outcome, Scored, Unscored


@dataclass(frozen=True)
class Entry:
    suite: str
    item_id: str
    response: str
    finish_reason: str
    outcomes: Mapping[str, Outcome]
    tokens: int = 0
    """Prompt and completion tokens, as the endpoint counted them."""
    cost: str = ""
    """Decimal; empty when the price is unknown."""


class Journal:
    """Appends entries to `<folder>/journal.jsonl`; the first line states the conditions."""

    def __init__(self, folder: Path, conditions: Mapping[str, Any]) -> None:
        """Opens or begins the journal.

        Raises:
          ResumeError: The folder was begun under other conditions.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "journal.jsonl"
        self.entries: dict[tuple[str, str], Entry] = {}
        lines = self._path.read_text(encoding="utf-8").splitlines() if self._path.exists() else []
        if lines:
            if json.loads(lines[0]) != json.loads(json.dumps(conditions)):
                raise ResumeError(
                    f"{folder} holds an evaluation under other conditions; remove the folder or name another"
                )
            for line in lines[1:]:
                self._recall(line)
        self._file = self._path.open("a", encoding="utf-8")
        if not lines:
            self._write(conditions)

    def add(self, entry: Entry) -> None:
        self.entries[entry.suite, entry.item_id] = entry
        outcomes = {
            name: {"kind": type(outcome).__name__} | asdict(outcome) for name, outcome in entry.outcomes.items()
        }
        self._write(asdict(entry) | {"outcomes": outcomes})

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self._path.unlink(missing_ok=True)

    def _write(self, content: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(content, ensure_ascii=False) + "\n")
        self._file.flush()

    def _recall(self, line: str) -> None:
        try:
            content = json.loads(line)
        except ValueError:
            return  # the last line of a killed run; its item is asked again
        kinds = {"Scored": Scored, "Unscored": Unscored}
        outcomes = {name: kinds[value.pop("kind")](**value) for name, value in content.pop("outcomes").items()}
        entry = Entry(**content, outcomes=outcomes)
        if not any(isinstance(outcome, Unscored) and outcome.reason == "InfraFailed" for outcome in outcomes.values()):
            self.entries[entry.suite, entry.item_id] = entry
