"""The `gyeol` command."""

from __future__ import annotations

import typer

from gyeol.local.command.doctor import doctor
from gyeol.local.command.export import export
from gyeol.local.command.fleet import down, up
from gyeol.local.command.logs import logs
from gyeol.local.command.report import report
from gyeol.local.command.run import run
from gyeol.local.command.serve import chat, serve
from gyeol.local.command.status import status
from gyeol.local.command.trace import trace
from gyeol.local.command.version import version
from gyeol.local.plugin import PluginGroup
from gyeol.local.status import HELP
from gyeol.local.terminal import readable_everywhere

app = typer.Typer(
    name="gyeol",
    cls=PluginGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Align an open-weight language model with a culture. · 오픈 모델을 문화에 맞추어 정렬합니다.",
    epilog=HELP,
)
for one in (run, status, report, chat, serve, export, trace, up, down, logs, doctor, version):
    app.command()(one)


def main() -> None:
    """Runs the command."""
    readable_everywhere()
    app()


if __name__ == "__main__":
    main()
