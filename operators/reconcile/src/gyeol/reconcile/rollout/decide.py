"""The decision about a promotion.

Evidence first, then either a proposal that a person merges, or a rollout: share by share, each one confirmed by the status of the
service, held, and measured on the new model alone. What is missed goes back by itself; a rollback is one field.
"""

from __future__ import annotations

from datetime import datetime

from gyeol.reconcile.promotion import Canary, ModelPromotion, PreviousModel
from gyeol.reconcile.rollout.draft import RolloutDraft, RolloutPlan
from gyeol.reconcile.rollout.measure import measured, told
from gyeol.reconcile.rollout.revert import ATTEMPTS, SERVED, reverted
from gyeol.reconcile.rollout.seen import Analyse, Propose, RolloutSeen, ServeShare, ServeWhole, ServiceSeen
from gyeol.reconcile.seen import JobState

CONFIRM_SECONDS = 1800.0
"""How long a cluster may take to do what its object says, loading of weights included."""


def decide_rollout(promotion: ModelPromotion, seen: RolloutSeen, now: datetime) -> RolloutPlan:
    """What to do next about a promotion.

    Args:
      promotion: The specification and what is known so far.
      seen: The world.
      now: The moment, in UTC.
    """
    draft = RolloutDraft(promotion, seen, now)
    status = promotion.status
    if status.state in ("Failed", "RolledBack"):
        return draft.plan()
    if (
        status.state == "Serving"
        and not _going_back(promotion)
        and (seen.service is None or seen.service.digest != promotion.spec.model.digest)
    ):
        return draft.ended(
            "Failed", "Superseded", "another model is served now; this promotion no longer touches the service"
        )
    if promotion.spec.rollback:
        return _back(draft, "Requested")
    if status.state == "Serving":  # its work is done: whoever comes next may share the traffic
        draft.judged(seen.evidence)
        return draft.plan()
    if seen.evidence.reason == "Withdrawn" and promotion.spec.strategy == "PullRequest" and status.pull_request:
        return reverted(draft, "Withdrawn", seen.evidence.message)
    if not seen.evidence.holds:
        return draft.blocked("EvidenceHolds", seen.evidence.reason, seen.evidence.message)
    draft.judged(seen.evidence)
    if promotion.spec.strategy == "PullRequest":
        return _proposed(draft)
    return _rolled_out(draft)


def _going_back(promotion: ModelPromotion) -> bool:
    """Whether the way back is by pull request: then another model in the service is what was asked for."""
    return promotion.spec.rollback and promotion.spec.strategy == "PullRequest"


def _proposed(draft: RolloutDraft) -> RolloutPlan:
    job, attempts = draft.seen.proposal, draft.status.attempts
    if job is None:
        draft.step(Propose(attempts))
        draft.write(state="Pending", reason="Proposing")
        return draft.waiting("Proposed", "Proposing")
    if job.state is JobState.RUNNING:
        return draft.waiting("Proposed", "Proposing")
    if job.state is not JobState.DONE:
        if job.state is JobState.REFUSED or attempts + 1 >= ATTEMPTS:
            return draft.blocked("Proposed", "CannotPropose", job.message)
        draft.write(attempts=attempts + 1)
        draft.step(Propose(attempts + 1))
        return draft.waiting("Proposed", "Retrying", job.message)
    draft.write(state="Proposed", reason="", pull_request=draft.seen.pull_request, commit=draft.seen.commit)
    draft.reached("Proposed", "Proposed", draft.seen.pull_request or draft.seen.commit)
    service = draft.seen.service
    if service is None or service.serves != draft.spec.model.digest:
        return draft.waiting(
            SERVED, "AwaitingMerge", "the model is served once the change is merged and rolled out", 30
        )
    return _serving(draft)


def _rolled_out(draft: RolloutDraft) -> RolloutPlan:
    seen, spec, canary = draft.seen, draft.spec, draft.spec.canary
    if not seen.installed:
        return draft.blocked(SERVED, "ServingMissing", "this cluster has no InferenceService; install KServe")
    if canary is not None and seen.delivery.doubt:
        return draft.blocked(SERVED, "DeliveryUnknown", seen.delivery.doubt)
    if canary is not None and seen.delivery.mode == "Standard" and not seen.delivery.canary:
        return draft.blocked(
            SERVED,
            "CanaryUnsupported",
            "KServe here deploys in Standard mode and its InferenceService has no spec.canary, so a share of the traffic would be "
            "ignored and everybody would get the new model; upgrade KServe to 0.20, use Knative, or leave spec.canary out",
        )
    draft.write(delivery=seen.delivery.mode)
    service = seen.service
    if service is not None and service.digest != spec.model.digest and draft.status.previous is None:
        draft.write(previous=PreviousModel(digest=service.digest, uri=service.uri))
    if canary is None or service is None or draft.status.previous is None:
        return _whole(draft, service)
    return _shared(draft, canary, service)


def _whole(draft: RolloutDraft, service: ServiceSeen | None) -> RolloutPlan:
    """The new model gets everything."""
    draft.write(state="RollingOut", reason="")
    if service is None or service.digest != draft.spec.model.digest or service.share:
        draft.write(step_since=draft.stamp, held_since="")
        draft.step(ServeWhole("new"))
        return draft.waiting(SERVED, "Loading", "the new model is being loaded")
    if service.serves == draft.spec.model.digest:
        return _serving(draft)
    if draft.seconds_since(draft.status.step_since) >= CONFIRM_SECONDS:
        message = f"the new model does not answer with its digest after {CONFIRM_SECONDS:.0f} s"
        return _back(draft, "NotServed", message)
    return draft.waiting(SERVED, "Loading", "the new model is being loaded")


def _shared(draft: RolloutDraft, canary: Canary, service: ServiceSeen) -> RolloutPlan:
    """The new model gets the share of the step, once the steps before have held."""
    step = canary.steps[draft.status.step]
    if step.percent == 100:
        return _whole(draft, service)
    draft.write(state="RollingOut", reason=f"Canary{step.percent}")
    if service.share != step.percent or service.share_digest != draft.spec.model.digest:
        draft.write(step_since=draft.stamp, held_since="", measured=(), attempts=0)
        draft.step(ServeShare(step.percent))
        return draft.waiting(SERVED, f"Canary{step.percent}", "the share of the traffic is being changed")
    if service.confirmed != step.percent:
        if draft.seconds_since(draft.status.step_since) >= CONFIRM_SECONDS:
            said = "nothing" if service.confirmed is None else f"{service.confirmed} percent"
            message = f"{step.percent} percent were asked for, and the status of the service says {said}"
            return _back(draft, "TrafficNotHonoured", message)
        return draft.waiting(
            SERVED, f"Canary{step.percent}", "waits until the status of the service confirms the share"
        )
    if not draft.status.held_since:
        draft.write(held_since=draft.stamp)
        draft.say(f"Canary{step.percent}", f"{step.percent} percent of the traffic go to the new model")
    return _analysed(draft, canary)


def _analysed(draft: RolloutDraft, canary: Canary) -> RolloutPlan:
    number, job, attempts = draft.status.step, draft.seen.analysis, draft.status.attempts
    percent, reason = canary.steps[number].percent, f"Canary{canary.steps[number].percent}"
    if job is None:
        draft.step(Analyse(number, attempts))
        return draft.waiting(SERVED, reason, "the new model is being measured")
    if job.state is JobState.RUNNING:
        return draft.waiting(SERVED, reason, "the new model is being measured")
    if job.state is not JobState.DONE and job.state is not JobState.REFUSED and attempts + 1 < ATTEMPTS:
        draft.write(attempts=attempts + 1)
        draft.step(Analyse(number, attempts + 1))
        return draft.waiting(SERVED, reason, f"the analysis failed and is tried again: {job.message}")
    found = measured(canary.analysis, draft.seen.values if job.state is JobState.DONE else {})
    draft.write(measured=found)
    if not all(one.holds for one in found):
        missing = any(not one.value for one in found)
        return _back(draft, "NotMeasured" if missing else "AnalysisFailed", told(found, canary.analysis))
    left = canary.steps[number].hold_seconds - draft.seconds_since(draft.status.held_since)
    if left > 0:
        return draft.waiting(SERVED, reason, f"{percent} percent are held", left)
    draft.say("StepHeld", f"{percent} percent held: {told(found, canary.analysis)}")
    draft.write(step=number + 1, step_since="", held_since="", attempts=0)
    return draft.waiting(SERVED, reason, "the next step begins", 0)


def _serving(draft: RolloutDraft) -> RolloutPlan:
    draft.write(state="Serving", reason="")
    draft.reached(SERVED, "Serving", f"{draft.spec.model.uri} answers with digest {draft.spec.model.digest}")
    return draft.plan()


def _back(draft: RolloutDraft, reason: str, message: str = "") -> RolloutPlan:
    """Back to the model before: an end. It is stored after the step is carried out, so that a kill in between repeats the step."""
    previous, service = draft.status.previous, draft.seen.service
    if draft.spec.strategy == "PullRequest":
        return reverted(draft, reason, message or "a person asked for the model before")
    if previous is None:
        return draft.ended(
            "Failed", "NothingBefore", message or "no other model was served before; there is nothing to go back to"
        )
    if service is None or service.digest != previous.digest or service.share:
        draft.step(ServeWhole("previous"))
    return draft.ended("RolledBack", reason, message or f"back to {previous.uri}, as asked for")
