"""`gyeol eval suites`, `inspect` and `split`: what there is to measure on."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from gyeol.evaluate.command.refusal import refuse
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.suite import FileSource, shipped


def suites(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the suites that ship with Gyeol."""
    known = shipped()
    if as_json:
        sys.stdout.write(
            json.dumps([suite.model_dump(mode="json") for suite in known.values()], ensure_ascii=False) + "\n"
        )
        return
    table = Table(box=None)
    for heading in ("suite", "version", "metrics", "", "data"):
        table.add_column(heading)
    for suite in known.values():
        table.add_row(
            suite.name,
            suite.version,
            ", ".join(metric.name for metric in suite.metrics),
            f"{suite.title_ko} · {suite.title_en}",
            suite.licence or "the culture pack's",
        )
    Console().print(table)


def inspect(
    suite: Annotated[str, typer.Argument(help="Name of a suite that reads a public file.")],
    data: Annotated[str, typer.Option(help="Path, file:///..., or hf:owner/name[@revision].")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Read every row of a public file and set its counts beside the published ones; exit 3 when they differ."""
    from gyeol.evaluate.format.loader import file_items
    from gyeol.evaluate.inspection import counts

    try:
        known = shipped().get(suite)
        if known is None or not isinstance(known.source, FileSource):
            names = ", ".join(name for name, one in shipped().items() if isinstance(one.source, FileSource))
            raise SuiteError(f"suite {suite!r} reads no public file; those that do: {names}")
        source = known.source.model_copy(update={"data": data, "items": None})
        found = counts(known, file_items(source, 0))
    except (SuiteError, OSError) as error:
        refuse(error)
    if as_json:
        sys.stdout.write(json.dumps([vars(one) | {"differs": one.differs} for one in found], ensure_ascii=False) + "\n")
    else:
        table = Table(box=None)
        for heading in ("what · 항목", "found · 읽음", "published · 공표", ""):
            table.add_column(heading)
        for one in found:
            table.add_row(one.what, str(one.found), str(one.published or "–"), "differs · 다름" if one.differs else "")
        Console().print(table)
    raise typer.Exit(3 if any(one.differs for one in found) else 0)


def split(
    data: Annotated[str, typer.Option(help="KoCulture dialogues: path or hf:owner/name.")],
    output: Annotated[Path, typer.Option(help="Folder for train.jsonl and held-out.jsonl.", file_okay=False)],
    held_out: Annotated[float, typer.Option(help="Share of the terms to hold out.", min=0, max=0.9)] = 0.1,
    random_seed: Annotated[int, typer.Option(help="Fixes which terms.")] = 20260606,
) -> None:
    """Turn KoCulture dialogues into chat training data, split by term and not by row."""
    from gyeol.evaluate.data.place import place
    from gyeol.evaluate.dialogue import split_dialogues, write_lines

    try:
        train, apart = split_dialogues(place(data), held_out, random_seed)
        write_lines(output / "train.jsonl", train)
        write_lines(output / "held-out.jsonl", apart)
    except (SuiteError, OSError) as error:
        refuse(error)
    Console().print(f"{output}: {len(train)} train · 학습, {len(apart)} held out · 평가용")
