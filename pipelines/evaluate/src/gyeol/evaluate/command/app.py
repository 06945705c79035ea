"""The command with its subcommands."""

from __future__ import annotations

import typer

from gyeol.evaluate.command import calibrate, compare, data, run

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Measure a model on suites. · 평가 세트로 모델을 측정합니다.",
)
command.command(name="run")(run.run)
command.command(name="suites")(data.suites)
command.command(name="inspect")(data.inspect)
command.command(name="split")(data.split)
command.command(name="calibrate")(calibrate.calibrate)
command.command(name="compare")(compare.compare)
