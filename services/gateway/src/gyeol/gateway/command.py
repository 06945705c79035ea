"""Making API tokens. Exit codes: 0 made, 2 bad input."""

from __future__ import annotations

from typing import Annotated

import typer
import yaml

from gyeol.gateway.auth.principal import role_of
from gyeol.gateway.auth.token import made
from gyeol.gateway.errors import AuthSettingError

app = typer.Typer(no_args_is_help=True, add_completion=False, help="The gateway's API tokens.")


@app.callback()
def tokens() -> None:
    """The gateway's API tokens."""


@app.command()
def token(
    name: Annotated[str, typer.Option(help="Who will use it; reviews and readings are written down by this name.")],
    role: Annotated[str, typer.Option(help="viewer, reviewer, operator or admin.")],
) -> None:
    """Makes a token: shows it once, and prints the entry for GATEWAY_TOKENS_FILE."""
    known = role_of(role)
    if known is None:
        typer.echo(f"error: --role={role!r}: no such role. Use viewer, reviewer, operator or admin.", err=True)
        raise typer.Exit(2)
    try:
        secret, entry = made(name, known)
    except AuthSettingError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(2) from None
    typer.echo(f"Token, shown only now: {secret}", err=True)
    content = {"tokens": [{"name": entry.name, "role": entry.role.word, "hash": entry.hash}]}
    typer.echo(yaml.safe_dump(content, sort_keys=False), nl=False)
