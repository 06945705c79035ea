"""How a command tells what is wrong and ends."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


def refuse(error: BaseException) -> NoReturn:
    """Tells the first cause and ends: 2 for what a retry cannot mend, 1 for what it can."""
    from gyeol.chassis.errors import DeniedError, InvalidError, NotFoundError

    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    Console(stderr=True).print(f"error: {error}", markup=False)
    raise SystemExit(2 if isinstance(error, InvalidError | DeniedError | NotFoundError) else 1)
