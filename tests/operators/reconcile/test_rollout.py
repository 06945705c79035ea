from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from gyeol.reconcile.document import parse_model_promotion
from gyeol.reconcile.manifest.site import Delivery
from gyeol.reconcile.promotion import ModelPromotion, PreviousModel
from gyeol.reconcile.rollout.decide import decide_rollout
from gyeol.reconcile.rollout.draft import RolloutPlan
from gyeol.reconcile.rollout.seen import (
    Analyse,
    EvidenceSeen,
    Propose,
    Revert,
    RolloutSeen,
    ServeShare,
    ServeWhole,
    ServiceSeen,
)
from gyeol.reconcile.seen import JobSeen, JobState
from support.world import NOON

NEW, OLD = "sha256:" + "a" * 64, "sha256:" + "c" * 64
CANARY = """
  canary:
    steps: [{percent: 10, holdSeconds: 60}, {percent: 50, holdSeconds: 60}, {percent: 100, holdSeconds: 1}]
    analysis:
    - {metric: SafeRate, direction: AtLeast, threshold: "0.9"}
    - {metric: OverRefusalRate, direction: AtMost, threshold: "0.2"}
"""
GOOD = {"SafeRate": "0.95", "OverRefusalRate": "0.1"}
HOLDS = EvidenceSeen(True)
DONE = JobSeen(JobState.DONE)


def promotion(strategy: str = "Direct", canary: str = CANARY, rollback: bool = False, **status: Any) -> ModelPromotion:
    text = f"""\
apiVersion: gyeol.dev/v1alpha1
kind: ModelPromotion
metadata: {{name: ko-staging, generation: 1}}
spec:
  model: {{uri: "oci://registry.example/ko@{NEW}", digest: "{NEW}"}}
  environment: staging
  strategy: {strategy}
  rollback: {str(rollback).lower()}
  evidence: {{verdictDigest: "sha256:{"b" * 64}", policy: ko-default}}{canary}"""
    one = parse_model_promotion(text, "p.yaml")
    return one.model_copy(update={"status": one.status.model_copy(update=status)})


BEFORE = PreviousModel(digest=OLD, uri="oci://old")
OLD_SERVICE = ServiceSeen(OLD, "oci://old", serves=OLD)
HELD = {
    "previous": BEFORE,
    "step_since": "2026-11-30T11:00:00Z",
    "held_since": "2026-11-30T11:00:00Z",
    "state": "RollingOut",
}
TEN = replace(OLD_SERVICE, share=10, share_digest=NEW, confirmed=10)


def seen(**fields: Any) -> RolloutSeen:
    return RolloutSeen(**{"evidence": HOLDS, "service": OLD_SERVICE, **fields})


WORLDS: dict[str, tuple[ModelPromotion, RolloutSeen, list[Any], str, str]] = {
    "no verdict: nothing moves": (promotion(), seen(evidence=EvidenceSeen(False, "VerdictMissing", "x")), [], "Blocked", "VerdictMissing"),
    "a later verdict failed: nothing moves": (promotion(), seen(evidence=EvidenceSeen(False, "Withdrawn", "x")), [], "Blocked", "Withdrawn"),
    "no KServe": (promotion(), seen(installed=False), [], "Blocked", "ServingMissing"),
    "nobody says how traffic is split: refused with the remedy": (
        promotion(), seen(delivery=Delivery(doubt="set the mode")), [], "Blocked", "DeliveryUnknown"),
    "Standard mode without canaries: refused, because the share would be ignored": (
        promotion(), seen(delivery=Delivery("Standard", "RawDeployment", canary=False)), [], "Blocked", "CanaryUnsupported"),
    "the same without a canary: fine": (promotion(canary=""), seen(delivery=Delivery("Standard", "RawDeployment", canary=False)), [ServeWhole("new")], "RollingOut", ""),
    "Knative: the share is written": (promotion(), seen(delivery=Delivery("Knative", "Knative", canary=False)), [ServeShare(10)], "RollingOut", "Canary10"),
    "nothing is served yet: the new model gets everything": (promotion(), seen(service=None), [ServeWhole("new")], "RollingOut", ""),
    "an old model is served: ten percent": (promotion(), seen(), [ServeShare(10)], "RollingOut", "Canary10"),
    "written and not confirmed: wait": (promotion(**HELD | {"held_since": "", "step_since": "2026-11-30T11:59:00Z"}), seen(service=replace(TEN, confirmed=None)), [], "RollingOut", "Canary10"),
    "confirmed as another share for too long: back": (
        promotion(**HELD | {"held_since": ""}), seen(service=replace(TEN, confirmed=100)), [ServeWhole("previous")], "RolledBack", "TrafficNotHonoured"),
    "confirmed: measured": (promotion(**HELD | {"held_since": ""}), seen(service=TEN), [Analyse(0, 0)], "RollingOut", "Canary10"),
    "being measured": (promotion(**HELD), seen(service=TEN, analysis=JobSeen(JobState.RUNNING)), [], "RollingOut", "Canary10"),
    "measured badly: back": (promotion(**HELD), seen(service=TEN, analysis=DONE, values=GOOD | {"SafeRate": "0.5"}), [ServeWhole("previous")], "RolledBack", "AnalysisFailed"),
    "a value is missing: back": (promotion(**HELD), seen(service=TEN, analysis=DONE, values={"SafeRate": "0.95"}), [ServeWhole("previous")], "RolledBack", "NotMeasured"),
    "a value is NaN: back": (promotion(**HELD), seen(service=TEN, analysis=DONE, values=GOOD | {"SafeRate": "NaN"}), [ServeWhole("previous")], "RolledBack", "NotMeasured"),
    "a value is infinite: back": (promotion(**HELD), seen(service=TEN, analysis=DONE, values=GOOD | {"SafeRate": "Infinity"}), [ServeWhole("previous")], "RolledBack", "NotMeasured"),
    "the analysis failed: again": (promotion(**HELD), seen(service=TEN, analysis=JobSeen(JobState.FAILED)), [Analyse(0, 1)], "RollingOut", "Canary10"),
    "the analysis cannot be made: back": (promotion(**HELD, attempts=2), seen(service=TEN, analysis=JobSeen(JobState.FAILED)), [ServeWhole("previous")], "RolledBack", "NotMeasured"),
    "measured well and held: the next step": (promotion(**HELD), seen(service=TEN, analysis=DONE, values=GOOD), [], "RollingOut", "Canary10"),
    "the last step: everything": (promotion(**HELD | {"step": 2}), seen(service=replace(TEN, share=50, confirmed=50)), [ServeWhole("new")], "RollingOut", ""),
    "everything, and it answers with its digest": (promotion(**HELD | {"step": 2}), seen(service=ServiceSeen(NEW, "x", serves=NEW)), [], "Serving", ""),
    "everything, but another model answers": (
        promotion(**HELD | {"step": 2, "step_since": "2026-11-30T11:59:50Z"}), seen(service=ServiceSeen(NEW, "x", serves="")), [], "RollingOut", ""),
    "another model answers for too long: back": (promotion(**HELD | {"step": 2}), seen(service=ServiceSeen(NEW, "x", serves="")), [ServeWhole("previous")], "RolledBack", "NotServed"),
    "a person asks for the way back": (promotion(rollback=True, **HELD), seen(service=TEN), [ServeWhole("previous")], "RolledBack", "Requested"),
    "a person asks for the way back after the end": (promotion(rollback=True, **HELD | {"state": "Serving"}), seen(service=ServiceSeen(NEW, "x", serves=NEW)), [ServeWhole("previous")], "RolledBack", "Requested"),
    "another promotion has taken over: it is left alone": (promotion(**HELD | {"state": "Serving"}), seen(service=ServiceSeen("sha256:" + "d" * 64, "z")), [], "Failed", "Superseded"),
    "another promotion takes its share: it is left alone": (promotion(**HELD | {"state": "Serving"}), seen(service=ServiceSeen(NEW, "x", 10, OLD, serves=NEW)), [], "Serving", ""),
    "served, and its evidence is withdrawn: a person decides": (
        promotion(**HELD | {"state": "Serving"}), seen(evidence=EvidenceSeen(False, "Withdrawn", "x"), service=ServiceSeen(NEW, "x", serves=NEW)), [], "Serving", ""),
    "rolled back: an end": (promotion(**HELD | {"state": "RolledBack", "reason": "Requested"}), seen(service=TEN), [], "RolledBack", "Requested"),
    "nothing to go back to": (promotion(rollback=True), seen(service=None), [], "Failed", "NothingBefore"),
    "a proposal is made": (promotion("PullRequest", ""), seen(), [Propose(0)], "Pending", "Proposing"),
    "proposed: a person decides": (promotion("PullRequest", ""), seen(proposal=DONE, pull_request="https://x/1"), [], "Proposed", ""),
    "the proposal failed: again": (promotion("PullRequest", ""), seen(proposal=JobSeen(JobState.FAILED)), [Propose(1)], "Pending", ""),
    "a person wants the model before: a pull request proposes it": (
        promotion("PullRequest", "", True, state="Serving"), seen(service=ServiceSeen(NEW, "x", serves=NEW)), [Revert(0, "a person asked for the model before")], "Pending", "Reverting"),
    "the way back is proposed: a person merges": (
        promotion("PullRequest", "", True), seen(service=ServiceSeen(NEW, "x", serves=NEW), revert=DONE, undone="Opened", pull_request="https://x/2"), [], "Proposed", "RevertProposed"),
    "the way back is merged and rolled out": (promotion("PullRequest", "", True), seen(revert=DONE, undone="Opened"), [], "RolledBack", "Requested"),
    "nobody had merged it: withdrawn": (promotion("PullRequest", "", True), seen(service=ServiceSeen(NEW, "x", serves=NEW), revert=DONE, undone="Withdrawn"), [], "RolledBack", "Requested"),
    "the way back failed: again": (
        promotion("PullRequest", "", True, reverts=1), seen(revert=JobSeen(JobState.FAILED)), [Revert(2, "a person asked for the model before")], "Pending", "Reverting"),
    "the way back is refused": (promotion("PullRequest", "", True), seen(revert=JobSeen(JobState.REFUSED, message="x")), [], "Blocked", "CannotRevert"),
    "the way back was declined": (promotion("PullRequest", "", True), seen(service=ServiceSeen(NEW, "x"), revert=DONE, undone="Declined"), [], "Blocked", "RevertDeclined"),
    "a re-check failed after the proposal: it is taken back": (
        promotion("PullRequest", "", pull_request="https://x/1"), seen(evidence=EvidenceSeen(False, "Withdrawn", "why")), [Revert(0, "why")], "Pending", "Reverting"),
    "merged and served": (promotion("PullRequest", ""), seen(proposal=DONE, service=ServiceSeen(NEW, "x", serves=NEW)), [], "Serving", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_each_world_asks_for_exactly_its_next_steps(name: str) -> None:
    one, world, steps, state, reason = WORLDS[name]
    plan = decide_rollout(one, world, NOON)
    assert list(plan.steps) == steps
    assert (plan.status.state, plan.status.reason) == (state, reason)


@pytest.mark.parametrize("mode", ["Standard", "Knative"])
def test_a_rollout_takes_every_share_in_order_and_ends_with_everybody(mode: Any) -> None:
    one, world, now, shares = promotion(), seen(delivery=Delivery(mode, mode)), NOON, []
    for _ in range(60):
        plan = decide_rollout(one, world, now)
        one = one.model_copy(update={"status": plan.status})
        for step in plan.steps:
            world = carried_out(world, step)
            if isinstance(step, ServeShare):
                shares.append(step.percent)
        now += plan.requeue or timedelta(seconds=1)
        if plan.status.state == "Serving":
            break
    assert shares == [10, 50]
    assert one.status.state == "Serving"
    assert one.status.previous == BEFORE
    assert decide_rollout(one, world, now) == RolloutPlan((), one.status)


def carried_out(world: RolloutSeen, step: Any) -> RolloutSeen:
    match step:
        case ServeShare(percent=percent):
            return replace(
                world, service=replace(OLD_SERVICE, share=percent, share_digest=NEW, confirmed=percent), analysis=None
            )
        case ServeWhole(which="new"):
            return replace(world, service=ServiceSeen(NEW, "x", serves=NEW))
        case Analyse():
            return replace(world, analysis=DONE, values=GOOD)
    raise AssertionError(step)


def test_a_share_is_held_for_its_time_even_when_it_measures_well() -> None:
    plan = decide_rollout(
        promotion(**HELD | {"held_since": "2026-11-30T11:59:30Z"}), seen(service=TEN, analysis=DONE, values=GOOD), NOON
    )
    assert plan.status.step == 0
    assert plan.requeue == timedelta(seconds=30)
