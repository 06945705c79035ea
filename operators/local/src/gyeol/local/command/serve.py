"""`gyeol serve` and `gyeol chat`: a model behind an OpenAI-compatible endpoint, and a talk with it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from gyeol.local.home import Home
from gyeol.local.port import free_port
from gyeol.local.terminal import AsJson, console, emit, ends_cleanly, failures_told, interruptible

Target = Annotated[
    str | None, typer.Argument(help="Run, folder or address of a model; absent: the newest tuned model. · 모델")
]
Base = Annotated[bool, typer.Option("--base", help="Of a run, the model before tuning. · 조정 전 모델")]

PORT = 8081
"""Where a model is served, unless something else listens there."""


def serve(
    target: Target = None,
    base: Base = False,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: 8081, or any free one. · 포트")] = 0,
    as_json: AsJson = False,
) -> None:
    """Serve a model at /openai/v1 until Ctrl-C. · 모델을 OpenAI 호환 주소로 제공합니다."""
    from gyeol.local.engine import Engines
    from gyeol.local.model import model_of, served

    with failures_told(as_json=as_json):
        home = Home.found()
        told = console(as_json=True)
        model = model_of(home, target, untuned=base, say=told.print)
        engines = Engines(home)

        async def work() -> None:
            try:
                url = await served(engines, model, port or free_port(PORT))
                if as_json:
                    emit({"event": "ready", "model": model.name, "url": url})
                else:
                    console().print(
                        f"{model.name} is served at {url}; Ctrl-C stops it · {url} 주소로 제공하고 있습니다. Ctrl-C를 누르면 멈춥니다",
                        soft_wrap=True,
                    )
                await asyncio.Event().wait()
            finally:
                engines.close()

        interruptible(
            work, home, told.print, ended=f"{model.name} is no longer served · {model.name} 제공을 마쳤습니다"
        )


def chat(
    target: Target = None,
    message: Annotated[
        str | None, typer.Option("-m", "--message", help="Say one thing and end. · 한 번만 묻기")
    ] = None,
    base: Base = False,
    max_tokens: Annotated[int, typer.Option(min=1, max=4096, help="Longest answer. · 최대 길이")] = 256,
    as_json: AsJson = False,
) -> None:
    """Talk to a model; /reset forgets, /exit ends. · 모델과 대화합니다."""
    from gyeol.local.engine import Engines
    from gyeol.local.model import model_of, served
    from gyeol.local.talk import Turn, words

    with failures_told(as_json=as_json), ends_cleanly():
        home = Home.found()
        told = console(as_json=True)
        model = model_of(home, target, untuned=base, say=told.print)
        engines = Engines(home)
        with contextlib.ExitStack() as stack:
            stack.callback(engines.close)
            with told.status(f"loading {model.name} · 불러오는 중"):
                url = asyncio.run(served(engines, model, free_port()))

            def say(turns: list[Turn], show: Callable[[str], object]) -> str:
                pieces = []
                for piece in words(url, model.name, turns, max_tokens=max_tokens):
                    pieces.append(piece)
                    show(piece)
                return "".join(pieces)

            if message is not None:
                answer = say([Turn("user", message)], (lambda _: None) if as_json else _write)
                emit({"model": model.name, "answer": answer}) if as_json else _write("\n")
                return
            _talk(say, model.name, as_json=as_json)


def _talk(say: Callable[..., str], name: str, *, as_json: bool) -> None:
    from gyeol.local.talk import Turn

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives input() a line editor

    console(as_json=True).print(f"{name}  (/reset, /exit)", highlight=False)
    turns: list[Turn] = []
    while True:
        try:
            line = input("> " if sys.stdin.isatty() else "").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if line in ("/exit", "/quit"):
            return
        if line == "/reset":
            turns = []
        elif line:
            turns.append(Turn("user", line))
            answer = say(turns, (lambda _: None) if as_json else _write)
            turns.append(Turn("assistant", answer))
            emit({"model": name, "answer": answer}) if as_json else _write("\n")


def _write(piece: str) -> None:
    sys.stdout.write(piece)
    sys.stdout.flush()
