"""`gyeol logs`: what the processes said."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from gyeol.local.errors import NothingThereError
from gyeol.local.home import Home
from gyeol.local.log import tail
from gyeol.local.terminal import AsJson, emit, failures_told


def logs(
    name: Annotated[
        str | None, typer.Argument(help="Service or job; absent: list them. · 서비스 또는 작업 이름")
    ] = None,
    lines: Annotated[int, typer.Option("-n", "--lines", min=1, help="Last lines. · 마지막 줄 수")] = 50,
    follow: Annotated[bool, typer.Option("-f", "--follow", help="Go on as it grows. · 계속 보기")] = False,
    as_json: AsJson = False,
) -> None:
    """What a service or job wrote. · 서비스와 작업의 로그를 보여 줍니다."""
    with failures_told(as_json=as_json):
        home = Home.found()
        known = sorted(path.stem for path in home.log("x").parent.glob("*.log"))
        if name is None:
            emit(known) if as_json else sys.stdout.write("".join(f"{one}\n" for one in known))
            return
        path = home.log(name)
        if not path.is_file():
            raise NothingThereError(f"no log of {name}; there are {', '.join(known) or 'none yet'}")
        text = tail(path, lines)
        emit({"name": name, "path": str(path), "lines": text.splitlines()}) if as_json else sys.stdout.write(
            text + "\n"
        )
        if follow:
            with path.open(encoding="utf-8", errors="replace") as file:
                file.seek(0, 2)
                while True:
                    sys.stdout.write(file.readline() or "")
                    sys.stdout.flush()
                    time.sleep(0.1)
