"""Measures both models on the same items and compares them."""

from __future__ import annotations

from typing import Literal, cast, get_args

from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.draft import Draft
from gyeol.reconcile.phase.gather import gathered
from gyeol.reconcile.phase.serve import answers
from gyeol.reconcile.phase.settle import POLL_SECONDS, settled
from gyeol.reconcile.seen import EVALUATION, Job, JobState, Side

Verdict = Literal["Pass", "Fail", "Inconclusive"]

_EVALUATED = ConditionType.EVALUATED


def gathered_and_measured_baseline(draft: Draft) -> bool:
    """Measures the baseline before the dataset is sealed, because sealing leaves out what the evaluation asks.

    Where one machine does everything, one comes after the other; elsewhere both go on at once.
    """
    if draft.seen.exclusive:
        return gathered(draft) and _measured(Side.BASELINE, draft)
    measured = _measured(Side.BASELINE, draft)
    return gathered(draft) and measured


def measured_candidate(draft: Draft) -> bool:
    """Measures the candidate."""
    if not _measured(Side.CANDIDATE, draft):
        return False
    return draft.reached(_EVALUATED, "Evaluated", draft.seen.jobs[Job.EVALUATE_CANDIDATE].summary)


def gated(draft: Draft) -> bool:
    """Compares them under the gate policy. Only `Pass` goes on, and no other verdict is tried again."""
    draft.doing("Gating")
    if not settled(Job.GATE, ConditionType.GATE_PASSED, draft):
        return False
    gate = draft.seen.jobs[Job.GATE]
    if gate.verdict not in get_args(Verdict):
        return draft.blocked(ConditionType.GATE_PASSED, "NoVerdict", "the gate wrote no verdict; its log says why")
    draft.write(verdict=cast(Verdict, gate.verdict))
    if gate.verdict != "Pass":
        return draft.ended(ConditionType.GATE_PASSED, gate.verdict, gate.summary)
    return draft.reached(ConditionType.GATE_PASSED, gate.verdict, gate.summary)


def _measured(side: Side, draft: Draft) -> bool:
    job = draft.seen.jobs.get(EVALUATION[side])
    if job is not None and job.state is JobState.DONE:
        return True
    draft.doing("Evaluating", side.capitalize())
    started = job is not None and job.state is JobState.RUNNING
    if not started and not answers(side, _EVALUATED, draft, seconds=POLL_SECONDS):
        return False
    return settled(EVALUATION[side], _EVALUATED, draft)
