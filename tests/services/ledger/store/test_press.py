"""Parquet is written and read by a process of its own, whose death is not taken for damage."""

from __future__ import annotations

import pytest

from gyeol.chassis.errors import NotReadyError
from gyeol.ledger.store.press import pressed, unpressed


async def test_content_that_is_no_parquet_is_named_unreadable() -> None:
    with pytest.raises(ValueError, match="not readable as Parquet"):
        await unpressed(b"PAR1 but nothing else")


async def test_a_process_that_cannot_run_says_nothing_about_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    with pytest.raises(NotReadyError, match="ended with status"):
        await unpressed(b"whatever")
    with pytest.raises(NotReadyError, match="try again"):
        await pressed(b"{}")
