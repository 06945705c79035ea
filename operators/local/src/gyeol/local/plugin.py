"""Commands that other deployables bring: loaded only when they are asked for, so that a broken one breaks nothing else."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import typer
from typer.core import TyperGroup
from typing_extensions import override

from gyeol.local.status import Exit

GROUP = "gyeol.commands"


class PluginGroup(TyperGroup):
    """The commands of `gyeol` and those of the entry-point group `gyeol.commands`."""

    @override
    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *sorted(_entries())]

    @override
    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        entry = _entries().get(cmd_name)
        if own is not None or entry is None:
            return own
        try:
            brought = entry.load()
        except ImportError as error:
            brought = _unavailable(cmd_name, entry, error)
        command = typer.main.get_command(brought)
        command.name = cmd_name
        return command


def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _unavailable(name: str, entry: EntryPoint, error: ImportError) -> typer.Typer:
    made = typer.Typer(invoke_without_command=True, help="Not available. · 사용할 수 없음")

    @made.callback()
    def refuse() -> None:
        typer.echo(f"gyeol: {name} cannot be loaded from {entry.value} ({error}); install it again", err=True)
        raise typer.Exit(int(Exit.FAILED))

    return made
