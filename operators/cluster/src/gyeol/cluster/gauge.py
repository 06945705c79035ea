"""Measures what an analysis asks for: rates from the evaluation beside it, latency and errors from requests of its own."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import aiohttp

from gyeol.cluster.report import Report
from gyeol.cluster.witness import UnprovenError

COVERAGE = 0.9
"""Share of the items that must be scored for a rate to count: dropping failures inflates rates."""
SECONDS = 60.0
_RATES = {"SafeRate": ("cultural-safety", "safe"), "OverRefusalRate": ("over-refusal", "refused")}
_QUESTION = "안녕하세요. 오늘 할 일을 정리하는 방법을 한 문장으로 알려 주세요."


def rates(folder: Path) -> dict[str, str]:
    """Rates by metric; one that was not measured on enough items is left out.

    Raises:
      UnprovenError: There is no evaluation.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError) as error:
        raise UnprovenError(f"{folder}/manifest.json cannot be read: {error}") from None
    found = {(one["suite"], one["metric"]): one for one in manifest.get("summary", [])}
    return {name: str(mean) for name, key in _RATES.items() if (mean := _mean(found.get(key))) is not None}


def _mean(one: Mapping[str, Any] | None) -> float | None:
    if one is None or not one.get("items") or one["scored"] < COVERAGE * one["items"]:
        return None
    mean = one.get("mean")
    return float(mean) if isinstance(mean, int | float) and math.isfinite(mean) else None


async def timed(endpoint: str, model: str, count: int) -> dict[str, str]:
    """95th percentile of the latency in seconds, and the share of requests that failed.

    Args:
      endpoint: OpenAI-compatible base URL.
      model: Name of the model.
      count: Requests, one after the other.
    """
    seconds: list[float] = []
    body = {"model": model, "messages": [{"role": "user", "content": _QUESTION}], "max_tokens": 32, "temperature": 0}
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=SECONDS)) as http:
        for _ in range(count):
            began = time.monotonic()
            try:
                async with http.post(f"{endpoint}/chat/completions", json=body) as answer:
                    if answer.status == 200 and (await answer.json())["choices"]:
                        seconds.append(time.monotonic() - began)
            except (aiohttp.ClientError, TimeoutError, OSError, ValueError, KeyError):
                continue
    found = {"ErrorRate": f"{(count - len(seconds)) / count:.6f}"}
    if seconds:
        found["LatencySeconds"] = f"{sorted(seconds)[math.ceil(0.95 * len(seconds)) - 1]:.6f}"
    return found


async def gauged(folder: Path, endpoint: str, model: str, count: int) -> Report:
    """The report of an analysis."""
    values = rates(folder) | await timed(endpoint, model, count)
    told = ", ".join(f"{name} {value}" for name, value in values.items())
    return Report("analysis", "", str(folder), summary=told, values=values)
