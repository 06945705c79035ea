"""`gyeol eval`: measure a model on suites."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.table import Table

from gyeol.evaluate.suite import shipped, wanted_suites
from gyeol.evaluate.summary import Summary

command = typer.Typer(no_args_is_help=True, help="Measure a model on suites. · 평가 세트로 모델을 측정합니다.")


@command.command()
def run(
    endpoint: Annotated[
        str, typer.Option(help="OpenAI-compatible base URL, for example http://127.0.0.1:8080/openai/v1.")
    ],
    model: Annotated[str, typer.Option(help="Model name as the endpoint lists it.")],
    suites: Annotated[Path, typer.Option(help="JSON list of suites, as in a run's evaluation.suites.", dir_okay=False)],
    output: Annotated[Path, typer.Option(help="Folder to write; an interrupted evaluation goes on there.")],
    seed_address: Annotated[str, typer.Option(help="Address of the seed service.")],
    policy_address: Annotated[str, typer.Option(help="Address of the policy service.")],
    judge_address: Annotated[str, typer.Option(help="Address of the judge service.")],
    culture: Annotated[str, typer.Option(help="Culture pack.")] = "ko-KR",
    judges: Annotated[str, typer.Option(help="Comma-separated judges.")] = "safety,grounding,register",
    endpoints: Annotated[str, typer.Option(help="Models file of the judges.")] = "builtin",
    law_as_of: Annotated[str, typer.Option(help="Date on which citations must hold, YYYY-MM-DD; empty: today.")] = "",
    random_seed: Annotated[int, typer.Option(help="Fixes which items are drawn.")] = 20260606,
    concurrency: Annotated[int, typer.Option(help="Requests at once.", min=1, max=256)] = 16,
    dataset: Annotated[
        Path | None, typer.Option(help="Sealed dataset the model was trained on.", file_okay=False)
    ] = None,
    api_key_env: Annotated[str, typer.Option(help="Environment variable that holds the endpoint's key.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines instead of a table.")] = False,
) -> None:
    """Measure one model; one outcome per item and metric."""
    import os

    from gyeol.chassis.chat import Endpoint
    from gyeol.chassis.errors import GyeolError
    from gyeol.evaluate.job import Addresses, Conditions, evaluate

    def emit(line: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stdout.flush()

    now = dt.datetime.now(dt.UTC)
    try:
        conditions = Conditions(
            endpoint=Endpoint(
                name=model, base_url=endpoint, model=model, concurrency=concurrency, timeout_seconds=120,
                api_key_env=api_key_env, api_key=os.environ.get(api_key_env, "") if api_key_env else "",
            ),
            suites=wanted_suites(suites),
            culture=culture,
            endpoints=endpoints,
            judges=[name.strip() for name in judges.split(",") if name.strip()],
            law_as_of=law_as_of or now.date().isoformat(),
            random_seed=random_seed,
            dataset=dataset,
        )  # fmt: skip
        addresses = Addresses(seed_address, policy_address, judge_address)
        found = asyncio.run(evaluate(conditions, addresses, output, now, emit))
    except (GyeolError, OSError, BaseExceptionGroup) as error:
        _refuse(error)
    for summary in found:
        emit({"event": "summary"} | vars(summary))
    emit({"event": "done", "output": str(output)})
    if not as_json:
        _show(found)


@command.command(name="suites")
def list_suites(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the suites that ship with Gyeol."""
    known = shipped()
    if as_json:
        sys.stdout.write(
            json.dumps([suite.model_dump(mode="json") for suite in known.values()], ensure_ascii=False) + "\n"
        )
        return
    table = Table(box=None)
    for heading in ("suite", "version", "metrics", ""):
        table.add_column(heading)
    for suite in known.values():
        table.add_row(
            suite.name,
            suite.version,
            ", ".join(metric.name for metric in suite.metrics),
            f"{suite.title_ko} · {suite.title_en}",
        )
    Console().print(table)


def _show(found: Iterable[Summary]) -> None:
    table = Table(box=None)
    for heading in ("suite", "metric", "mean", "95 % interval", "scored", "unscored"):
        table.add_column(heading)
    for one in found:
        mean = "–" if one.mean is None else f"{one.mean:.1%}"
        interval = "–" if one.low is None or one.high is None else f"{one.low:.1%} – {one.high:.1%}"
        unscored = ", ".join(f"{reason} {count}" for reason, count in one.unscored.items()) or "–"
        table.add_row(one.suite, one.metric, mean, interval, f"{one.scored}/{one.items}", unscored)
    Console(stderr=True).print(table)


def _refuse(error: BaseException) -> NoReturn:
    """Tells the first cause and ends: 2 for what a retry cannot mend, 1 for what it can."""
    from gyeol.chassis.errors import DeniedError, InvalidError, NotFoundError

    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    Console(stderr=True).print(f"error: {error}", markup=False)
    raise SystemExit(2 if isinstance(error, InvalidError | DeniedError | NotFoundError) else 1)
