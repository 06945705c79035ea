"""How a command that runs until it is told to end says that it has."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest
import typer

from gyeol.local.home import Home
from gyeol.local.status import HELP, Exit
from gyeol.local.terminal import RESUMES, interruptible


async def waiting_for_ctrl_c() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.Event().wait()


@pytest.mark.parametrize("ended", [RESUMES, "m is no longer served · m 제공을 마쳤습니다"], ids=["run", "serve"])
def test_ctrl_c_ends_with_words_of_the_command_and_the_documented_status(tmp_path: Path, ended: str) -> None:
    told: list[str] = []
    with pytest.raises(typer.Exit) as raised:
        interruptible(waiting_for_ctrl_c, Home(tmp_path), told.append, ended=ended)
    assert raised.value.exit_code == Exit.INTERRUPTED
    assert [one == ended for one in told] == [False, True]
    assert "130 interrupted (Ctrl-C; also the end of serve)" in HELP
