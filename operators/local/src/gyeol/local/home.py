"""The state folder: where everything of one desk lies."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gyeol.local.errors import InputError, NothingThereError

FOLDER = ".gyeol"
VARIABLE = "GYEOL_HOME"


@dataclass(frozen=True)
class RunFolder:
    """What one run left behind. Its name is the run id, so that a changed specification inherits nothing."""

    path: Path

    @property
    def run_id(self) -> str:
        return self.path.name

    @property
    def specification(self) -> Path:
        return self.path / "run.yaml"

    @property
    def status(self) -> Path:
        return self.path / "status.json"

    @property
    def account(self) -> Path:
        return self.path / "account.json"

    @property
    def base(self) -> Path:
        return self.path / "base"

    @property
    def dataset(self) -> Path:
        return self.path / "dataset"

    @property
    def training(self) -> Path:
        return self.path / "training"

    @property
    def gate(self) -> Path:
        return self.path / "gate"

    @property
    def spans(self) -> Path:
        return self.path / "spans"

    def evaluation(self, side: str) -> Path:
        return self.path / "evaluations" / side

    def read(self, path: Path) -> dict[str, Any]:
        """The JSON object in a file; empty when there is none yet, or a machine that went down left something else there."""
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Home:
    """The state folder."""

    path: Path

    @classmethod
    def found(cls, environ: Mapping[str, str] = os.environ) -> Home:
        """`GYEOL_HOME`, or `.gyeol` in the working directory.

        Raises:
          InputError: The working directory was removed.
        """
        try:
            return cls(Path(environ.get(VARIABLE) or FOLDER).absolute())
        except FileNotFoundError:
            raise InputError(
                f"the working directory is gone; change to one that exists, or set {VARIABLE} to a whole path"
            ) from None

    @property
    def roster(self) -> Path:
        return self.path / "up.json"

    @property
    def nats(self) -> Path:
        return self.path / "nats"

    @property
    def ledger(self) -> Path:
        return self.path / "ledger.db"

    @property
    def models(self) -> Path:
        """Models files by name."""
        return self.path / "models"

    @property
    def weights(self) -> Path:
        """Fetched weights by what they are; runs hold links to them. `GYEOL_CACHE` names another place."""
        return self.path / "weights"

    @property
    def runs(self) -> Path:
        return self.path / "runs"

    def log(self, name: str) -> Path:
        return self.path / "logs" / f"{name}.log"

    def lock(self, name: str) -> Path:
        return self.path / f"{name}.lock"

    def run(self, run_id: str) -> RunFolder:
        return RunFolder(self.runs / run_id)

    def prepare(self) -> None:
        """Makes the folders."""
        for folder in (self.nats, self.models, self.weights, self.runs, self.path / "logs"):
            folder.mkdir(parents=True, exist_ok=True)

    def run_folders(self) -> list[RunFolder]:
        """Every run, the one that was worked on last first."""
        folders = [RunFolder(path) for path in self.runs.glob("*") if (path / "run.yaml").is_file()]
        return sorted(folders, key=_last_worked_on, reverse=True)

    def resolve(self, name: str | None) -> RunFolder:
        """The run with this id, the newest one with this name, or the newest one of all.

        Raises:
          NothingThereError: There is none.
        """
        folders = self.run_folders()
        if not folders:
            raise NothingThereError(f"no run in {self.path}; start one with: gyeol run -f examples/ko-quickstart.yaml")
        if name is None:
            return folders[0]
        same_id = [folder for folder in folders if folder.run_id == name]
        same_name = [folder for folder in folders if folder.run_id.rpartition("-")[0] == name]
        if same_id or same_name:
            return (same_id or same_name)[0]
        known = ", ".join(folder.run_id for folder in folders[:5])
        raise NothingThereError(f"no run {name} in {self.path}; there are {known}")


def write_atomically(path: Path, value: Any) -> None:
    """Writes JSON so that a reader, or a kill at any moment, sees the old or the new file and never half of one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name}.", delete=False, encoding="utf-8"
    ) as file:
        json.dump(value, file, ensure_ascii=False, indent=2)
        file.write("\n")
    Path(file.name).replace(path)


def _last_worked_on(folder: RunFolder) -> float:
    newest = folder.status if folder.status.is_file() else folder.specification
    return newest.stat().st_mtime
