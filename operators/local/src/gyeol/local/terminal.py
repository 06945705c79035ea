"""The ends of every command: how it prints, how it fails, how it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from typing import Annotated, Any, NoReturn, TypeVar

import typer
from rich.console import Console

from gyeol.chassis.errors import GyeolError
from gyeol.local.errors import refusal
from gyeol.local.home import Home
from gyeol.local.process import kill, leftovers
from gyeol.local.roster import stored
from gyeol.local.status import Exit, exit_of
from gyeol.reconcile.fault import SpecificationError

T = TypeVar("T")
FILE_WIDTH = 160
RESUMES = "stopped; the same command goes on where it stopped · 멈췄습니다. 같은 명령을 다시 실행하면 이어집니다"
"""What is said once something that resumes was stopped."""

AsJson = Annotated[bool, typer.Option("--json", help="JSON for programs. · 프로그램용 JSON 출력")]
RunName = Annotated[
    str | None, typer.Argument(help="Run name or id; absent: the newest. · 실행 이름 (생략하면 가장 최근)")
]


def console(*, as_json: bool = False) -> Console:
    """Where people read: standard error when standard output belongs to a program. A file is given room for whole lines."""
    made = Console(stderr=as_json)
    return made if made.is_terminal else Console(stderr=as_json, width=FILE_WIDTH)


def readable_everywhere() -> None:
    """Lets a terminal that has no sign for a letter show a question mark for it instead of ending the command."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def emit(value: Any) -> None:
    """Prints one JSON value on a line; escaped where the other side does not read UTF-8, so that nothing is lost."""
    escaped = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(value, ensure_ascii=escaped) + "\n")
    sys.stdout.flush()


def fail(error: Exception, status: Exit, *, as_json: bool) -> NoReturn:
    """Ends with a message."""
    if as_json:
        with contextlib.suppress(OSError):  # the place where the answer should go may be what fails
            emit({"event": "error", "message": str(error), "exit": int(status)})
    Console(stderr=True).print(f"gyeol: {error}", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(int(status))


@contextlib.contextmanager
def failures_told(*, as_json: bool) -> Iterator[None]:
    """Turns errors that name their remedy into a message and an exit status; others are faults of ours and keep their trace."""
    try:
        yield
    except GyeolError as error:
        fail(error, exit_of(error), as_json=as_json)
    except SpecificationError as error:
        fail(error, Exit.BAD_INPUT, as_json=as_json)
    except OSError as error:
        refused = refusal(error)
        fail(refused, exit_of(refused), as_json=as_json)


@contextlib.contextmanager
def ends_cleanly() -> Iterator[None]:
    """Lets a command that started processes end them also when it is told to end, or its terminal is closed.

    Raises:
      typer.Exit: 130 after Ctrl-C or another request to end.
    """

    def end(*_: object) -> None:
        raise KeyboardInterrupt

    with _handled(end, signal.SIGTERM, signal.SIGHUP):
        try:
            yield
        except KeyboardInterrupt:
            raise typer.Exit(Exit.INTERRUPTED) from None


@contextlib.contextmanager
def _handled(handler: Callable[..., None], *numbers: signal.Signals) -> Iterator[None]:
    asked = False

    def noted(*told: object) -> None:
        nonlocal asked
        asked = True
        handler(*told)

    before = {number: signal.signal(number, noted) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            # A command that was told to end is on its way out with a status of its own: one more signal changes nothing.
            signal.signal(number, signal.SIG_IGN if asked else old)


def _end_at_once(home: Home) -> NoReturn:
    """Kills what was started for this command; what `gyeol up` started stays."""
    known = stored(home)
    kept = {entry.identity.pid for entry in known.entries.values()} if known and known.owner is None else set()
    for one in leftovers(home.path):
        if one.pid not in kept:
            kill(one)
    os._exit(Exit.INTERRUPTED)


def interruptible(
    work: Callable[[], Coroutine[Any, Any, T]], home: Home, say: Callable[[str], None], *, ended: str = RESUMES
) -> T:
    """Runs `work`. The first Ctrl-C cancels it, so that it can clean up; the second one kills every child at once.

    Args:
      work: What to run.
      home: Where its children are known.
      say: Tells a person.
      ended: What is said once it was stopped.

    Raises:
      typer.Exit: 130 after Ctrl-C.
    """

    async def guarded() -> T:
        task = asyncio.ensure_future(work())
        loop = asyncio.get_running_loop()
        count = 0

        def stop(*_: object) -> None:
            nonlocal count
            count += 1
            if count > 1:
                _end_at_once(home)
            say("stopping; Ctrl-C again stops at once · 정리하고 멈춥니다. 다시 누르면 바로 멈춥니다")
            loop.call_soon_threadsafe(task.cancel)

        with _handled(stop, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            return await task

    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        say(ended)
        raise typer.Exit(Exit.INTERRUPTED) from None
