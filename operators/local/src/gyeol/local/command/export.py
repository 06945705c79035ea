"""`gyeol export`: the sealed dataset, for others to load."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from gyeol.local.errors import InputError, NothingThereError, StoppedError
from gyeol.local.home import Home
from gyeol.local.terminal import AsJson, RunName, console, emit, failures_told


class Format(StrEnum):
    """Layout of the export."""

    PARQUET = "parquet"
    """The sealed files as they are."""
    JSONL = "jsonl"
    """One file with a row on each line."""


def export(
    name: RunName = None,
    output: Annotated[Path, typer.Option("-o", "--output", help="New folder. · 새 폴더")] = Path("dataset"),
    layout: Annotated[Format, typer.Option("--format", help="Layout. · 형식")] = Format.PARQUET,
    as_json: AsJson = False,
) -> None:
    """Copy the sealed dataset in Hugging Face layout. It holds rejected, harmful text. · 데이터셋을 내보냅니다."""
    with failures_told(as_json=as_json):
        folder = Home.found().resolve(name)
        if not (folder.dataset / "manifest.json").is_file():
            raise NothingThereError(f"{folder.run_id} has no sealed dataset yet")
        if output.exists() and any(output.iterdir()):
            raise InputError(f"{output} is not empty; name a new folder")
        _verify(folder.dataset)
        rows = _parquet(folder.dataset, output) if layout is Format.PARQUET else _jsonl(folder.dataset, output)
        if as_json:
            emit({"run": folder.run_id, "output": str(output), "format": layout.value, "rows": rows})
        else:
            out = console()
            out.print(f"{rows} triplets in {output} · 삼중항 {rows}개")
            out.print(
                "the rejected answers are harmful on purpose: keep them away from users · 거절 응답은 유해할 수 있습니다"
            )


_DAMAGED: Final = 2
"""Exit status of `gyeol.ledger verify` for a dataset that is not what was sealed; any other says nothing about it."""


def _verify(dataset: Path) -> None:
    checked = subprocess.run(
        [sys.executable, "-m", "gyeol.ledger", "verify", str(dataset)], capture_output=True, text=True, check=False
    )
    if checked.returncode != 0:
        last = "".join((checked.stderr or checked.stdout).strip().splitlines()[-1:]).removeprefix("error: ")
        found = "is damaged" if checked.returncode == _DAMAGED else "could not be verified; try again"
        raise StoppedError(f"the dataset {dataset} {found}: {last or f'status {checked.returncode}'}")


def _parquet(dataset: Path, output: Path) -> int:
    shutil.copytree(dataset, output, dirs_exist_ok=True)
    return _rows(dataset)


def _jsonl(dataset: Path, output: Path) -> int:
    import pyarrow.parquet as pq

    output.mkdir(parents=True, exist_ok=True)
    with (output / "train.jsonl").open("w", encoding="utf-8") as file:
        for shard in sorted((dataset / "data").glob("*.parquet")):
            for row in pq.read_table(shard).to_pylist():
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    card = (dataset / "README.md").read_text(encoding="utf-8")
    (output / "README.md").write_text(card.replace("data/train-*.parquet", "train.jsonl"), encoding="utf-8")
    shutil.copyfile(dataset / "manifest.json", output / "sealed-manifest.json")
    return _rows(dataset)


def _rows(dataset: Path) -> int:
    return int(json.loads((dataset / "manifest.json").read_text(encoding="utf-8"))["rows"])
