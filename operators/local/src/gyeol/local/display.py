"""Shows progress all the time: a live view in a terminal, plain lines in a file, JSON lines for programs."""

from __future__ import annotations

import json
import sys
import time
from types import TracebackType
from typing import Protocol

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gyeol.local.progress import Progress
from gyeol.local.reason import dropped

PLAIN_SECONDS = 5.0
"""A plain line at least so often, even when nothing moved: silence looks like a hang."""


class Display(Protocol):
    """What shows a run."""

    def __enter__(self) -> Display: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def note(self, text: str) -> None:
        """Says something that stays."""

    def update(self, progress: Progress) -> None:
        """Shows how far the run is."""


def display(*, as_json: bool, console: Console) -> Display:
    """The display that suits the place."""
    if as_json:
        return JsonDisplay()
    return LiveDisplay(console) if console.is_terminal else PlainDisplay(console)


class LiveDisplay:
    """A view that is redrawn in place."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> LiveDisplay:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def note(self, text: str) -> None:
        self._console.print(Text(text))

    def update(self, progress: Progress) -> None:
        self._live.update(view(progress))


class PlainDisplay:
    """Lines, one when something changed and one every few seconds."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = ""
        self._at = 0.0

    def __enter__(self) -> PlainDisplay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def note(self, text: str) -> None:
        self._print(text)

    def update(self, progress: Progress) -> None:
        now = time.monotonic()
        changed = progress.phase != self._last
        if changed or now - self._at >= PLAIN_SECONDS:
            self._last, self._at = progress.phase, now
            self._print(progress.one_line())

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class JsonDisplay:
    """JSON lines on standard output."""

    def __init__(self) -> None:
        self._last = ""

    def __enter__(self) -> JsonDisplay:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return

    def note(self, text: str) -> None:
        _emit({"event": "note", "message": text})

    def update(self, progress: Progress) -> None:
        data = progress.status.data
        value = {
            "event": "progress",
            "run": progress.run_id,
            "state": progress.status.state,
            "doing": progress.doing,
            "detail": progress.detail,
            "accepted": data.accepted,
            "target": data.target,
            "drops": dict(sorted(progress.account.drops.items())),
            "calls": progress.account.calls,
        }
        text = json.dumps(value, ensure_ascii=False)
        if text != self._last:
            self._last = text
            _emit({**value, "elapsed": progress.elapsed})


def view(progress: Progress) -> RenderableType:
    """The live view: where the run is, every stratum, what was dropped, what jobs say."""
    head = Text.assemble((progress.run_id, "bold"), "  ", (progress.phase, "cyan"), f"  {progress.elapsed}")
    parts: list[RenderableType] = [head]
    data = progress.status.data
    if data.strata and progress.status.state in ("Gathering", "AwaitingReview", "Sealing"):
        parts.append(_strata(progress))
    account = progress.account
    if account.inputs:
        drops = (
            "  ".join(f"{dropped(reason)} {count}" for reason, count in sorted(account.drops.items())) or "none · 없음"
        )
        failures = f"  failures {account.failures}" if account.failures else ""
        parts.append(Text(f"seeds {account.inputs}  triplets {account.triplets}  dropped: {drops}{failures}", "dim"))
        parts.append(Text(f"model calls {account.calls}, from the store {account.cached_calls}", "dim"))
    if progress.detail:
        parts.append(Text(progress.detail))
    return Group(*parts)


def _strata(progress: Progress) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    rows = list(progress.status.data.strata)
    columns = 2 if len(rows) > 6 else 1
    for start in range(0, len(rows), columns):
        cells: list[str | Text] = []
        for row in rows[start : start + columns]:
            done = min(row.accepted, row.target)
            bar = "█" * round(16 * done / max(row.target, 1))
            cells += [row.name, Text(f"{bar:<16}", "green"), f"{row.accepted}/{row.target}"]
        table.add_row(*cells)
    return table


def _emit(value: object) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()
