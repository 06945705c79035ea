"""When something happened, as it is written down."""

from __future__ import annotations

from datetime import datetime

import pytest

from gyeol.reconcile.condition import day_in_korea


@pytest.mark.parametrize(
    ("moment", "day"), [("2026-06-05T14:59:59+00:00", "2026-06-05"), ("2026-06-05T15:00:00+00:00", "2026-06-06")]
)
def test_the_day_of_the_law_begins_at_midnight_in_korea(moment: str, day: str) -> None:
    assert day_in_korea(datetime.fromisoformat(moment)) == day
