"""`gyeol gate`: judge two evaluations, try a policy out, check a signature."""

from __future__ import annotations

import datetime as dt
import json
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from gyeol.gate.error import GateError, PolicyError
from gyeol.gate.source import named_policy

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Compare two evaluations under a gate policy. · 두 평가를 게이트 정책으로 비교합니다.",
)

VERDICT_EXIT = {"Pass": 0, "Fail": 3, "Inconclusive": 4}
"""Exit status of `run --exit-code`."""


@command.command()
def run(
    baseline: Annotated[
        Path, typer.Option(help="Evaluation folder of the model in use. · 지금 쓰는 모델의 평가 폴더", file_okay=False)
    ],
    candidate: Annotated[
        Path, typer.Option(help="Evaluation folder of the new model. · 새 모델의 평가 폴더", file_okay=False)
    ],
    policy: Annotated[
        str, typer.Option(help="Policy file, or the name of a shipped one. · 정책 파일 또는 제공되는 정책의 이름")
    ],
    output: Annotated[
        Path, typer.Option(help="Folder for verdict.json, report.md and report.html. · 판정과 보고서를 쓸 폴더")
    ],
    signing_key: Annotated[
        Path | None, typer.Option(help="Ed25519 private key (PEM): writes verdict.json.sig. · 판정에 서명할 개인 키")
    ] = None,
    export: Annotated[
        str, typer.Option(help="Further reports, comma-separated: card, junit, openlineage, mlflow. · 추가 보고서")
    ] = "",
    exit_code: Annotated[
        bool, typer.Option(help="Exit 3 on Fail and 4 on Inconclusive instead of 0. · 불합격은 3, 판단 보류는 4로 종료")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON. · 판정을 JSON으로 출력")] = False,
) -> None:
    """Judge the candidate against the baseline, item by item. · 후보 모델을 기준 모델과 문항별로 비교합니다."""
    from gyeol.gate.job import gate
    from gyeol.gate.report.export import export_names

    try:
        now = dt.datetime.now(dt.UTC)
        gated = gate(baseline, candidate, named_policy(policy), output, now, signing_key, export_names(export))
    except (GateError, OSError) as error:
        _refuse(error)
    if as_json:
        sys.stdout.write(json.dumps(gated.document, ensure_ascii=False) + "\n")
    else:
        _show(gated.document, gated.output)
    raise typer.Exit(VERDICT_EXIT[gated.document["verdict"]] if exit_code else 0)


@command.command()
def check(
    policy: Annotated[
        str, typer.Argument(help="Policy file, or the name of a shipped one. · 정책 파일 또는 제공되는 정책의 이름")
    ],
    simulations: Annotated[
        int, typer.Option(min=100, help="Simulated gates, with and without an effect. · 모의 게이트 횟수")
    ] = 1000,
    seed: Annotated[int, typer.Option(help="Fixes the simulation. · 모의실험의 난수 시드")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON. · 결과를 JSON으로 출력")] = False,
) -> None:
    """Run the A/A self-test: how often would an unchanged model pass, and what can the gate see? · 게이트 자체 점검(A/A)을 합니다."""
    from gyeol.gate.selftest import self_test

    try:
        read = named_policy(policy)
        with Progress(console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("simulated gates · 모의 게이트", total=2 * simulations)
            result = self_test(read, simulations, seed, lambda: progress.advance(task))
    except GateError as error:
        _refuse(error)
    except KeyError as error:
        _refuse(
            PolicyError(
                f"{policy}: spec.selfTest.rates lacks {error}: state the rate that the baseline is expected to have"
            )
        )
    # Three standard errors of the simulation itself.
    tolerance = 3 * (result.alpha * (1 - result.alpha) / result.simulations) ** 0.5
    sound = result.false_pass <= result.alpha + tolerance
    if as_json:
        fields = ("false_pass", "alpha", "power", "minimal_detectable_effect", "simulations")
        sys.stdout.write(json.dumps({name: getattr(result, name) for name in fields} | {"sound": sound}) + "\n")
    else:
        table = Table(show_header=False, box=None)
        table.add_row("false pass · 거짓 통과", f"{result.false_pass:.1%} (alpha {result.alpha:.1%})")
        table.add_row("power · 검정력", f"{result.power:.1%} (wanted {float(read.spec.power):.1%})")
        table.add_row("minimal detectable effect · 최소 검출 효과", f"{result.minimal_detectable_effect:.1%}")
        Console().print(table)
    raise typer.Exit(0 if sound else 3)


@command.command()
def verify(
    verdict: Annotated[
        Path,
        typer.Argument(
            help="verdict.json with verdict.json.sig beside it. · 서명이 곁에 있는 verdict.json", dir_okay=False
        ),
    ],
    key: Annotated[Path, typer.Option(help="Ed25519 public key (PEM). · 공개 키", dir_okay=False)],
) -> None:
    """Check the signature of a verdict. · 판정의 서명을 확인합니다."""
    from gyeol.gate.signature import verified

    try:
        good = verified(verdict, key)
    except GateError as error:
        _refuse(error)
    Console().print("good signature · 서명이 맞습니다" if good else "BAD signature · 서명이 맞지 않습니다")
    raise typer.Exit(0 if good else 3)


def _show(document: dict[str, Any], output: Path) -> None:
    console = Console()
    console.print(f"[bold]{document['verdict']} · {document['verdict_ko']}[/]")
    console.print(f"{document['summary']} {document['summary_ko']}")
    for problem, problem_ko in zip(document["problems"], document["problems_ko"], strict=True):
        console.print(f"  ! {problem}\n    {problem_ko}", markup=False)
    table = Table(box=None)
    for heading in ("", "criterion · 기준", "why · 이유"):
        table.add_column(heading)
    for one in document["criteria"]:
        table.add_row(one["result"], one["name"], Text(f"{one['reason']}\n{one['reason_ko']}"))
    console.print(table)
    console.print(f"{output}/report.html  {output}/report.md  {output}/verdict.json")


def _refuse(error: Exception) -> NoReturn:
    Console(stderr=True).print(f"error: {error}", markup=False)
    raise typer.Exit(2)
