"""A result beside published figures, each marked comparable or not, with the reasons."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict

from gyeol.evaluate.error import SuiteError


class Needs(BaseModel):
    """What a result must share with a published figure."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    items: int | None = None
    judge: str = ""
    prompt: Literal["any", "paper", "harness"]


class Published(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    suite: str
    metric: str
    model: str
    value: float
    tuned: float | None = None
    """After the alignment that the source describes."""
    source: str
    needs: Needs


@dataclass(frozen=True)
class Compared:
    published: Published
    ours: float
    comparable: bool
    why: str
    """In English; empty when comparable."""
    why_ko: str


def published() -> list[Published]:
    """Every published figure that ships with Gyeol."""
    text = (resources.files("gyeol.evaluate") / "published.yaml").read_text(encoding="utf-8")
    return [Published.model_validate(one) for one in yaml.safe_load(text)]


def compared(folder: Path) -> list[Compared]:
    """The results of an evaluation folder beside what was published for the same suites and metrics.

    Raises:
      SuiteError: The folder holds no finished evaluation.
    """
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        results = {(one["suite"], one["metric"]): one for one in manifest["summary"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SuiteError(f"{path}: not the manifest of a finished evaluation: {error}") from error
    found = []
    for figure in published():
        result = results.get((figure.suite, figure.metric))
        if result is not None and result["mean"] is not None:
            reasons = differences(figure, manifest, result)
            found.append(
                Compared(
                    figure,
                    result["mean"],
                    not reasons,
                    "; ".join(en for en, _ in reasons),
                    "; ".join(ko for _, ko in reasons),
                )
            )
    return found


def differences(figure: Published, manifest: Mapping[str, Any], result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Why a result does not stand beside a figure, in English and Korean; empty when it does."""
    found = []
    suite, needs = manifest["suites"][figure.suite], figure.needs
    if needs.items is not None and suite["items"] != needs.items:
        found.append((f"{suite['items']} of {needs.items} items", f"{needs.items}문항 중 {suite['items']}문항"))
    elif not result.get("derived") and result["scored"] < 0.95 * result["items"]:
        found.append(
            (
                f"only {result['scored']} of {result['items']} items scored",
                f"{result['items']}문항 중 {result['scored']}문항만 채점",
            )
        )
    names = manifest.get("judges", {}).get("names", [])
    if needs.judge and not any(needs.judge in name for name in names):
        found.append((f"judged by {', '.join(names)}, not {needs.judge}", f"판정자가 다름({', '.join(names)})"))
    if needs.prompt == "paper":
        found.append(("another prompt than the paper's", "논문과 다른 지시문"))
    return found
