"""Commands that the chart runs: `credentials` before it installs, `probe` when it is tested."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from kubernetes_asyncio.client import ApiClient

from gyeol.chassis.errors import GyeolError, InvalidError
from gyeol.cluster import credential, probe
from gyeol.cluster.client import Cluster


def register(app: typer.Typer) -> None:
    """Adds the commands to the operator's own."""
    app.command()(credentials)
    app.command(name="probe")(probed)


def credentials(
    namespace: Annotated[str, typer.Option(help="Namespace of the Secrets.")] = "",
    nats: Annotated[str, typer.Option(help="Secret of the NATS users; empty: leave it alone.")] = "",
    gateway: Annotated[str, typer.Option(help="Secret of the gateway's tokens; empty: leave it alone.")] = "",
    folder: Annotated[Path | None, typer.Option(help="Write files into this folder instead of Secrets.")] = None,
) -> None:
    """Make the Secrets of an installation, or add what is missing in them."""
    if folder is not None:
        _write(folder)
        return
    try:
        asyncio.run(_provide(namespace, nats, gateway))
    except GyeolError as error:
        _end(error)


def probed(
    services: Annotated[list[str], typer.Argument(help="name=address of each service.")],
    page: Annotated[list[str] | None, typer.Option(help="name=URL that has to answer 200.")] = None,
) -> None:
    """Ask every service whether it is well; exit 1 when one is not."""
    found = asyncio.run(probe.answers(dict(map(_pair, services)), dict(map(_pair, page or []))))
    for name, wrong in found.items():
        sys.stdout.write(json.dumps({"name": name, "well": not wrong, "problem": wrong}) + "\n")
    raise SystemExit(any(found.values()))


async def _provide(namespace: str, nats: str, gateway: str) -> None:
    from gyeol.cluster.life import configuration

    async with ApiClient(await configuration()) as api:
        cluster = Cluster(api)
        for name, make in ((nats, credential.nats_users), (gateway, credential.gateway_access)):
            if name:
                written = await credential.provide(cluster, namespace, name, make)
                sys.stdout.write(json.dumps({"event": "secret", "name": name, "written": written}) + "\n")


def _write(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    known = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for name, content in credential.nats_users(known).items():
        (folder / name).touch(mode=0o600)
        (folder / name).write_bytes(content)


def _pair(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not (name and separator and value):
        raise typer.BadParameter(f"{text!r} is not name=address")
    return name, value


def _end(error: GyeolError) -> NoReturn:
    sys.stderr.write(f"gyeol-cluster: {error}\n")
    raise SystemExit(2 if isinstance(error, InvalidError) else 1) from None
