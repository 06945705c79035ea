"""Codes for programs never reach a person untranslated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import gyeol.reconcile.phase
from gyeol.api.failure.v1.failure_pb2 import DropReason
from gyeol.local.progress import STATES, Progress
from gyeol.local.reason import DROPS, REASONS, said
from gyeol.reconcile.status import AlignmentRunStatus
from support.world import aligned

SAYING = {"waiting", "blocked", "ended", "reached", "doing", "event"}


def reasons() -> Iterator[str]:
    """Every reason that stands in the source of the phases of a run."""
    (folder,) = gyeol.reconcile.phase.__path__
    for file in Path(folder).glob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in SAYING:
                for one in call.args[:2]:
                    if isinstance(one, ast.Constant) and re.fullmatch("[A-Z][A-Za-z]+", str(one.value)):
                        yield str(one.value)


def test_every_reason_of_a_run_has_words() -> None:
    known = set(reasons())
    assert "ModelStarting" in known
    assert known <= REASONS.keys() | STATES.keys()


def test_every_reason_of_a_drop_has_words() -> None:
    assert {name.removeprefix("DROP_REASON_") for name in map(str, DropReason.keys())} - {"UNSPECIFIED"} == DROPS.keys()


def test_a_run_that_waits_for_its_model_says_so_in_words() -> None:
    assert aligned().status == AlignmentRunStatus()
    progress = Progress("ko-1", AlignmentRunStatus(state="Gathering", reason="ModelStarting"))
    assert "the model is being loaded · 모델을 불러오는 중" in progress.one_line()
    assert "ModelStarting" not in progress.one_line()
    assert said("SomethingNew") == "SomethingNew"
