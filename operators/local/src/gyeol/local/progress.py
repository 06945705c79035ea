"""What a run is doing, as its display needs it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gyeol.api.ledger.v1.ledger_pb2 import Account
from gyeol.local.reason import said
from gyeol.reconcile.condition import ConditionType, found
from gyeol.reconcile.seen import Job
from gyeol.reconcile.status import AlignmentRunStatus

STATES = {
    "Pending": "preparing · 준비",
    "Gathering": "gathering triplets · 삼중항 수집",
    "AwaitingReview": "waiting for review · 검토 대기",
    "Sealing": "sealing the dataset · 데이터셋 봉인",
    "Checking": "checking the data · 데이터 점검",
    "Training": "training · 학습",
    "Evaluating": "evaluating · 평가",
    "Gating": "gate · 게이트",
    "Promoting": "promoting · 승격",
    "Blocked": "blocked · 중단",
    "Suspended": "suspended · 보류",
    "Succeeded": "done · 완료",
    "Failed": "ended · 종료",
}


@dataclass
class Progress:
    """Mutable: the session writes it, a display reads it."""

    run_id: str
    status: AlignmentRunStatus = field(default_factory=AlignmentRunStatus)
    account: Account = field(default_factory=Account)
    jobs: dict[Job, str] = field(default_factory=dict)
    """Newest line of each job that runs."""
    active: tuple[Job, ...] = ()
    doing: str = ""
    """What is done before the run itself begins, for example starting services."""
    began: float = field(default_factory=time.monotonic)

    @property
    def elapsed(self) -> str:
        seconds = int(time.monotonic() - self.began)
        return (
            f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            if seconds >= 3600
            else f"{seconds // 60}:{seconds % 60:02}"
        )

    @property
    def phase(self) -> str:
        if self.doing:
            return self.doing
        return STATES.get(self.status.state, self.status.state)

    @property
    def detail(self) -> str:
        """One line about what is being done now."""
        lines = [f"{job}: {self.jobs[job]}" for job in self.active if self.jobs.get(job)]
        asked = (
            found(self.status.conditions, ConditionType.DATA_SEALED) if self.status.state == "AwaitingReview" else None
        )
        return "; ".join(lines) or (asked.message if asked else "") or self.status.progress or said(self.status.reason)

    def hear(self, job: Job, line: Mapping[str, Any]) -> None:
        """Takes one line of progress of a job."""
        told = sentence(line)
        if told:
            self.jobs[job] = told

    def one_line(self) -> str:
        drops = sum(self.account.drops.values())
        books = (
            f" · accepted {self.status.data.accepted}/{self.status.data.target} · dropped {drops}"
            if self.status.data.target
            else ""
        )
        calls = f" · calls {self.account.calls}" if self.account.calls else ""
        return f"[{self.elapsed}] {self.phase} · {self.detail}{books}{calls}".replace(" ·  ·", " ·")


def sentence(line: Mapping[str, Any]) -> str:
    """A line of progress for people; empty when it says nothing they need."""
    if "done" in line and "of" in line:
        name = line.get("suite") or line.get("what") or ""
        return f"{name} {line['done']}/{line['of']}".strip()
    if "step" in line:
        of = line.get("steps") or line.get("of") or line.get("max_steps")
        parts = [f"step {line['step']}" + (f"/{of}" if of else "")]
        for word, keys in _MEASURES.items():
            value = next((line[key] for key in keys if isinstance(line.get(key), (int, float))), None)
            if value is not None:
                parts.append(f"{word} {value:.3g}")
        return " ".join(parts)
    if line.get("event") in _FETCHING:
        what = next((line[key] for key in _FETCHED if line.get(key)), "")
        return f"{line['event']} {what}".strip()
    return str(line.get("message") or "")


_FETCHING = ("fetching", "downloading", "copying", "unpacking", "dequantising")
_FETCHED = ("file", "layer", "repository", "architecture", "uri")


_MEASURES = {
    "loss": ("loss",),
    "margin": ("margin", "rewards/margins"),
    "accuracy": ("accuracy", "rewards/accuracies"),
}
