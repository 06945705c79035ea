"""`gyeol eval suites`, `inspect` and `split`: what there is to measure on."""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from gyeol.evaluate.command.refusal import refuse
from gyeol.evaluate.error import SuiteError
from gyeol.evaluate.suite import FileSource, shipped

if TYPE_CHECKING:
    from gyeol.evaluate.player import Played


def suites(as_json: Annotated[bool, typer.Option("--json", help="Print JSON. · JSON 출력")] = False) -> None:
    """List the suites that ship with Gyeol. · 제공되는 평가 세트를 보여 줍니다."""
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
    suite: Annotated[
        str, typer.Argument(help="Name of a suite that reads a public file. · 공개 파일을 읽는 평가 세트의 이름")
    ],
    data: Annotated[str, typer.Option(help="Path, file:///..., or hf:owner/name[@revision]. · 데이터 위치")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON. · JSON 출력")] = False,
) -> None:
    """Read every row of a public file, set its counts beside the published ones and let an oracle and dice play; exit 3 when counts differ. · 공개 파일의 문항 수를 공표된 수와 비교합니다. 다르면 3으로 종료합니다."""
    from gyeol.evaluate.format.loader import file_items, rows_read
    from gyeol.evaluate.inspection import counts
    from gyeol.evaluate.player import plays

    try:
        known = shipped().get(suite)
        if known is None or not isinstance(known.source, FileSource):
            names = ", ".join(name for name, one in shipped().items() if isinstance(one.source, FileSource))
            raise SuiteError(f"suite {suite!r} reads no public file; those that do: {names}")
        source = known.source.model_copy(update={"data": data, "items": None})
        items = file_items(source, 0)
        found = counts(known, items, rows_read(source, items))
        games = plays(known, items)
    except (SuiteError, OSError) as error:
        refuse(error)
    if as_json:
        told = {
            "counts": [vars(one) | {"differs": one.differs} for one in found],
            "players": [vars(one) for one in games],
        }
        sys.stdout.write(json.dumps(told, ensure_ascii=False) + "\n")
    else:
        table = Table(box=None)
        for heading in ("what · 항목", "found · 읽음", "published · 공표", ""):
            table.add_column(heading)
        for one in found:
            table.add_row(one.what, str(one.found), str(one.published or "–"), "differs · 다름" if one.differs else "")
        Console().print(table)
        if games:
            Console().print(_games(games))
    raise typer.Exit(3 if any(one.differs for one in found) else 0)


def _games(games: Sequence[Played]) -> Table:
    table = Table(box=None)
    for heading in ("player · 응답 방식", "metric", "score · 점수", "expected · 기댓값"):
        table.add_column(heading)
    for one in games:
        name = f"({one.metric})" if one.derived else one.metric
        table.add_row(one.player, name, f"{one.score:.3f}", "–" if one.expected is None else f"{one.expected:.3f}")
    return table


def split(
    data: Annotated[str, typer.Option(help="KoCulture dialogues: path or hf:owner/name. · KoCulture 대화의 위치")],
    output: Annotated[
        Path, typer.Option(help="Folder for train.jsonl and held-out.jsonl. · 결과를 쓸 폴더", file_okay=False)
    ],
    held_out: Annotated[
        float, typer.Option(help="Share of the terms to hold out. · 떼어 둘 용어의 비율", min=0, max=0.9)
    ] = 0.1,
    lexicon: Annotated[
        str,
        typer.Option(
            help="KoCulture descriptions, whose dates tell which terms are current. · KoCulture 용어 설명의 위치"
        ),
    ] = "",
    current_on: Annotated[
        dt.datetime | None,
        typer.Option(
            help="Leave out terms that are not current on this day. · 이날 쓰이지 않는 용어 제외", formats=["%Y-%m-%d"]
        ),
    ] = None,
    random_seed: Annotated[int, typer.Option(help="Fixes which terms. · 용어 선택의 난수 시드")] = 20260606,
) -> None:
    """Turn KoCulture dialogues into chat training data, split by term and not by row. · KoCulture 대화를 용어별로 나누어 학습 데이터로 만듭니다."""
    from gyeol.evaluate.data.place import place
    from gyeol.evaluate.dialogue import split_dialogues, write_lines
    from gyeol.evaluate.format.koculture import lexicon as read_lexicon

    try:
        if current_on is not None and not lexicon:
            raise SuiteError("--current-on needs --lexicon: the dialogues do not say how old a term is")
        terms = read_lexicon(place(lexicon)) if lexicon else []
        day = current_on.date() if current_on is not None else None
        made = split_dialogues(place(data), held_out, random_seed, terms, day)
        write_lines(output / "train.jsonl", made.train)
        write_lines(output / "held-out.jsonl", made.held_out)
    except (SuiteError, OSError) as error:
        refuse(error)
    old = f", {len(made.outdated)} outdated terms · 지난 신조어" if made.outdated else ""
    Console().print(f"{output}: {len(made.train)} train · 학습, {len(made.held_out)} held out · 평가용{old}")
