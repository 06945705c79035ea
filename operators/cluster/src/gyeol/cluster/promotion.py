"""Reconciles one ModelPromotion: parse, observe, decide, report, carry out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError

from gyeol.api.ledger.v1.ledger_pb2 import Artifact, ListArtifactsRequest
from gyeol.chassis.clock import Clock
from gyeol.cluster.cache import Cache
from gyeol.cluster.client import Cluster, Object
from gyeol.cluster.errors import GoneError, KindMissingError, RefusedError
from gyeol.cluster.identity import Identities, base_url
from gyeol.cluster.kind import CONFIG_MAP, INFERENCE_SERVICE, JOB, MODEL_PROMOTION, POD, SERVICE
from gyeol.cluster.peers import Peers
from gyeol.cluster.report import Report, ending
from gyeol.cluster.reporter import Reporter
from gyeol.cluster.traffic import service_seen
from gyeol.reconcile.fault import SpecificationError, faults
from gyeol.reconcile.manifest import place, proposal
from gyeol.reconcile.manifest import promotion as built
from gyeol.reconcile.manifest.name import MANAGER
from gyeol.reconcile.manifest.outcome import Phase, batch_outcome
from gyeol.reconcile.manifest.site import Site
from gyeol.reconcile.plan import Event
from gyeol.reconcile.promotion import ModelPromotion
from gyeol.reconcile.rollout.decide import decide_rollout
from gyeol.reconcile.rollout.seen import (
    Analyse,
    EvidenceSeen,
    Propose,
    Revert,
    RolloutSeen,
    RolloutStep,
    ServeShare,
    ServeWhole,
    ServiceSeen,
)
from gyeol.reconcile.seen import JobSeen, JobState

_ENDS = ("Serving", "RolledBack", "Failed")


@dataclass(frozen=True)
class _Sight:
    seen: RolloutSeen
    evidence: str = ""
    """Folder of the verdict, below the root of the artifact store."""
    values: Mapping[str, str] = field(default_factory=dict)


class Promotions:
    """Reconciles promotions."""

    def __init__(
        self, cluster: Cluster, cache: Cache, peers: Peers, identities: Identities, reporter: Reporter, site: Site, clock: Clock,
        service_url: str, poll_seconds: float,
    ) -> None:  # fmt: skip
        self._cluster = cluster
        self._cache = cache
        self._peers = peers
        self._identities = identities
        self._reporter = reporter
        self._site = site
        self._clock = clock
        self._service_url = service_url
        self._poll_seconds = poll_seconds

    async def reconcile(self, current: Object) -> tuple[Object, float | None]:
        """One look at a promotion; the object afterwards and the seconds until the next look.

        Raises:
          ClusterError, AioRpcError: Something cannot be asked now.
        """
        now = self._clock.now()
        try:
            promotion = parsed(current)
        except SpecificationError as error:
            await self._reporter.tell(current, [Event("Warning", "InvalidSpecification", str(error))], now)
            return current, None
        if current["metadata"].get("deletionTimestamp"):
            return current, None
        sight = await self._look(promotion)
        plan = decide_rollout(promotion, sight.seen, now)
        await self._reporter.tell(current, plan.events, now)
        ended = plan.status.state in _ENDS
        if not ended:
            current = await self._reporter.store(MODEL_PROMOTION, current, plan.status)
        known = promotion.model_copy(update={"status": plan.status})
        try:
            for step in plan.steps:
                await self._carried_out(step, known, sight)
        except (RefusedError, KindMissingError, ValueError) as error:
            await self._reporter.tell(current, [Event("Warning", "Refused", str(error))], now)
            return current, 60.0
        if ended:
            current = await self._reporter.store(MODEL_PROMOTION, current, plan.status)
        return current, min(plan.requeue.total_seconds(), self._poll_seconds) if plan.requeue is not None else None

    async def _look(self, promotion: ModelPromotion) -> _Sight:
        artifact, evidence = await self._evidence(promotion)
        service, installed = await self._service(promotion)
        proposed, analysis = None, None
        report: Report | None = None
        status = promotion.status
        revert = None
        if promotion.spec.strategy == "PullRequest" and (promotion.spec.rollback or evidence.reason == "Withdrawn"):
            revert, report = await self._job(promotion, proposal.revert_name(promotion, status.reverts))
        elif promotion.spec.strategy == "PullRequest":
            proposed, report = await self._job(promotion, proposal.proposal_name(promotion, status.attempts))
        elif promotion.spec.canary is not None and status.held_since:
            analysis, report = await self._job(promotion, built.analysis_name(promotion, status.step, status.attempts))
        values = dict(report.values or {}) if report else {}
        seen = RolloutSeen(
            evidence=evidence,
            delivery=self._site.delivery,
            installed=installed,
            service=service,
            proposal=proposed,
            commit=values.get("commit", ""),
            pull_request=values.get("url", ""),
            revert=revert,
            undone=values.get("reason", "") if revert else "",
            analysis=analysis,
            values=values,
        )
        folder = artifact.location.removeprefix(place.address(self._site.store, "")) if artifact else ""
        return _Sight(seen, folder, values)

    async def _evidence(self, promotion: ModelPromotion) -> tuple[Artifact | None, EvidenceSeen]:
        """The newest verdict about this model under this policy decides; an older one that passed does not."""
        listed = await self._peers.artifacts.ListArtifacts(ListArtifactsRequest(kind="gate-verdict"))
        wanted, digest = promotion.spec.evidence, promotion.spec.model.digest
        about = [one for one in listed.artifacts if _about(one, digest, wanted.policy)]
        about.sort(key=lambda one: (one.created_at.seconds, one.created_at.nanos))
        if not about:
            message = f"the ledger knows no verdict about {digest} under policy {wanted.policy}; run the gate first"
            return None, EvidenceSeen(False, "VerdictMissing", message)
        newest = about[-1]
        verdict = json.loads(newest.manifest_json).get("verdict")
        if verdict != "Pass":
            return newest, EvidenceSeen(
                False, "Withdrawn", f"the newest verdict about this model is {verdict}, not Pass ({newest.digest})"
            )
        if newest.digest != wanted.verdict_digest:
            message = f"the newest verdict is {newest.digest}, but the promotion rests on {wanted.verdict_digest}; name the newest one in a new promotion"
            return newest, EvidenceSeen(False, "VerdictOutdated", message)
        return newest, EvidenceSeen(True, "Holds", f"verdict {newest.digest} under policy {wanted.policy}")

    async def _service(self, promotion: ModelPromotion) -> tuple[ServiceSeen | None, bool]:
        try:
            name = built.environment_service(promotion)
            found = await self._cluster.get(INFERENCE_SERVICE, promotion.metadata.namespace, name)
        except GoneError:
            return None, True
        except KindMissingError:
            return None, False
        seen = service_seen(found, self._site.delivery.mode)
        digest = seen.digest or promotion.spec.model.digest
        serves = await self._identities.serves(
            found, built.environment_service(promotion)
        ) and await self._identities.answer(base_url(found), built.environment_service(promotion), digest)
        return ServiceSeen(
            seen.digest, seen.uri, seen.share, seen.share_digest, seen.confirmed, digest if serves else ""
        ), True

    async def _job(self, promotion: ModelPromotion, name: str) -> tuple[JobSeen | None, Report | None]:
        child = self._cache.get(JOB, promotion.metadata.namespace, name)
        if child is None:
            return None, None
        outcome = batch_outcome(child)
        if outcome.phase is Phase.RUNNING:
            return JobSeen(JobState.RUNNING), None
        pods, _ = await self._cluster.list(POD, promotion.metadata.namespace, f"batch.kubernetes.io/job-name={name}")
        found = ending(pods)
        if outcome.phase is Phase.SUCCEEDED and found.report is not None:
            return JobSeen(JobState.DONE, summary=found.report.summary), found.report
        said = found.message or outcome.message or "its report is gone"
        return JobSeen(JobState.REFUSED if found.refused else JobState.FAILED, message=said), None

    async def _carried_out(self, step: RolloutStep, promotion: ModelPromotion, sight: _Sight) -> None:
        spec, previous = promotion.spec, promotion.status.previous
        match step:
            case ServeWhole(which="new"):
                await self._cluster.apply(
                    INFERENCE_SERVICE, built.whole(promotion, self._site, spec.model.uri, spec.model.digest)
                )
                await self._withdraw(promotion)
            case ServeWhole():
                service = sight.seen.service
                if previous is not None and (
                    service is None or service.digest != previous.digest or self._site.delivery.mode == "Knative"
                ):
                    await self._cluster.apply(
                        INFERENCE_SERVICE, built.whole(promotion, self._site, previous.uri, previous.digest)
                    )
                await self._withdraw(promotion)
            case ServeShare(percent=percent):
                await self._cluster.apply(SERVICE, built.direct_door(promotion))
                manager = built.CANARY_MANAGER if self._site.delivery.mode == "Standard" else MANAGER
                await self._cluster.apply(
                    INFERENCE_SERVICE, built.shared(promotion, self._site, percent), manager=manager
                )
            case Analyse(step=number, attempt=attempt):
                door = built.direct_door(promotion)["metadata"]
                url = self._service_url.format(name=door["name"], namespace=door["namespace"]) + "/openai/v1"
                await self._cluster.apply(CONFIG_MAP, built.analysis_settings(promotion))
                await self._made(built.analysis_job(promotion, self._site, number, attempt, url))
            case Revert(attempt=attempt, why=why):
                await self._made(proposal.revert_job(promotion, self._site, attempt, why))
            case Propose(attempt=attempt):
                await self._made(proposal.proposal_job(promotion, self._site, attempt, sight.evidence))

    async def _withdraw(self, promotion: ModelPromotion) -> None:
        if self._site.delivery.mode == "Standard" and self._site.delivery.canary:
            await self._cluster.apply(INFERENCE_SERVICE, built.without_canary(promotion), manager=built.CANARY_MANAGER)

    async def _made(self, job: Object) -> None:
        made = await self._cluster.create(JOB, job)
        if made is not None:
            self._cache.put(JOB, made)


def parsed(current: Object) -> ModelPromotion:
    """The promotion of an object.

    Raises:
      SpecificationError: It does not describe one.
    """
    value = {key: current[key] for key in ("apiVersion", "kind", "metadata", "spec")}
    if current.get("status"):
        value["status"] = current["status"]
    try:
        return ModelPromotion.model_validate_json(json.dumps(value), by_alias=True, by_name=False)
    except ValidationError as error:
        found = faults(error.errors(include_url=False), ModelPromotion, lambda _: 0)
        raise SpecificationError(current["metadata"]["name"], found) from None


def _about(artifact: Artifact, digest: str, policy: str) -> bool:
    try:
        value = json.loads(artifact.manifest_json or "{}")
    except ValueError:
        return False
    candidate = (value.get("evidence") or {}).get("candidate") or {}
    return candidate.get("model_digest") == digest and (value.get("policy") or {}).get("name") == policy
