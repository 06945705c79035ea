"""Which day it is where the law is made: Korean law begins and ends at midnight in Korea, wherever the machine stands."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Final

KOREA: Final = timezone(timedelta(hours=9))


def today(now: datetime) -> str:
    """Returns the ISO day that a moment (with its zone) falls on in Korea."""
    return now.astimezone(KOREA).date().isoformat()
