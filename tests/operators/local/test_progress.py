from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from gyeol.api.ledger.v1.ledger_pb2 import Account
from gyeol.local.display import JsonDisplay, PlainDisplay, view
from gyeol.local.progress import Progress, sentence
from gyeol.reconcile.decide import decide
from gyeol.reconcile.seen import Job, Serving, Side
from gyeol.reconcile.status import AlignmentRunStatus, DataStatus, StratumStatus
from support.world import NOON, aligned, gathered_world


def gathering() -> Progress:
    strata = tuple(StratumStatus(name=name, target=12, accepted=7) for name in ("I", "I+benign"))
    status = AlignmentRunStatus(state="Gathering", data=DataStatus(accepted=14, target=24, strata=strata))
    account = Account(inputs=20, triplets=14, calls=31, cached_calls=2, drops={"PANEL": 4, "NOT_MINED": 2})
    return Progress("ko-test-12345678", status, account)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"event": "progress", "suite": "over-refusal", "done": 8, "of": 120}, "over-refusal 8/120"),
        (
            {"event": "step", "step": 12, "steps": 60, "loss": 0.5234, "margin": 1.25},
            "step 12/60 loss 0.523 margin 1.25",
        ),
        ({"event": "note", "message": "loading"}, "loading"),
        ({"event": "summary"}, ""),
    ],
)
def test_a_line_of_a_job_becomes_words(line: dict[str, object], told: str) -> None:
    assert sentence(line) == told


def test_the_view_shows_strata_drops_calls_and_the_job_at_work() -> None:
    progress = gathering()
    progress.active = (Job.EVALUATE_BASELINE,)
    progress.hear(Job.EVALUATE_BASELINE, {"suite": "over-refusal", "done": 8, "of": 120})
    out = io.StringIO()
    Console(file=out, width=120).print(view(progress))
    shown = out.getvalue()
    for part in ("7/12", "심사 불일치 4", "유해 응답 없음 2", "model calls 31, from the store 2", "over-refusal 8/120"):
        assert part in shown


def test_plain_lines_come_when_the_phase_changes_and_not_with_every_update() -> None:
    out = io.StringIO()
    display = PlainDisplay(Console(file=out, width=200))
    progress = gathering()
    for _ in range(5):
        display.update(progress)
    progress.status = progress.status.model_copy(update={"state": "Training"})
    display.update(progress)
    lines = out.getvalue().splitlines()
    assert len(lines) == 2
    assert "accepted 14/24 · dropped 6 · calls 31" in lines[0]


def test_programs_get_json_lines_and_no_repetition(capsys: pytest.CaptureFixture[str]) -> None:
    display = JsonDisplay()
    for _ in range(3):
        display.update(gathering())
    display.note("a service was started again")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["event"] for line in lines] == ["progress", "note"]
    assert lines[0]["drops"] == {"NOT_MINED": 2, "PANEL": 4}


def test_a_run_that_waits_for_people_says_where_they_review() -> None:
    run = aligned(lambda text: text.replace("review: None", "review: All"))
    served = {Side.BASELINE: Serving.READY}
    seen = gathered_world(run, dataset=None, serving=served, reviews_waiting=3, review_at="http://127.0.0.1:8080")
    progress = Progress("ko-test-12345678", decide(run, seen, NOON).status)
    assert "3 triplets wait for a review: approve or reject each at http://127.0.0.1:8080" in progress.one_line()
