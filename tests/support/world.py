"""A run, and a small world that plans can be carried out in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.decide import decide
from gyeol.reconcile.document import parse_alignment_run
from gyeol.reconcile.plan import (
    CancelJob,
    Plan,
    RecordArtifact,
    RequestSeeds,
    RunJob,
    SealDataset,
    ServeModel,
    Step,
    StopServing,
)
from gyeol.reconcile.seen import (
    AccountSeen,
    DatasetSeen,
    Job,
    JobSeen,
    JobState,
    PackSeen,
    Seen,
    Serving,
    StratumSeen,
)

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
DIGEST = "sha256:" + "0" * 64
PACK = PackSeen("ko-KR", DIGEST, "2026-06-05", {"I": ("A", "B"), "II": ("C",)})
DOCUMENT = """\
apiVersion: gyeol.dev/v1alpha1
kind: AlignmentRun
metadata: {name: ko-test}
spec:
  culture: {name: ko-KR}
  baseModel: {uri: "builtin:tiny-ko"}
  data:
    target: {acceptedPerStratum: 10, maxCandidates: 400, strata: L1}
    endpointsRef: {name: builtin}
    writers: [statute-first, procedure-first, person-first]
    judges: [safety, grounding, register]
    benignShare: "0.4"
    review: None
  training:
    method: LoRA
    loss: [{name: sigmoid, weight: "1.0"}, {name: sft, weight: "0.2"}]
    beta: "0.1"
    learningRate: "5e-6"
    epochs: 1
  evaluation:
    suites: [{name: cultural-safety}, {name: over-refusal}]
  gate:
    policyRef: {name: ko-default}
"""


def aligned(change: Callable[[str], str] = lambda text: text) -> AlignmentRun:
    """The run of these tests, its YAML changed first."""
    return parse_alignment_run(change(DOCUMENT), "run.yaml")


@dataclass
class World:
    """Carries plans out at once and perfectly, but for what a test tells it to spoil.

    `acceptance` maps a stratum to the share of its seeds that become triplets.
    """

    run: AlignmentRun
    seen: Seen = field(default_factory=lambda: Seen(pack=PACK, exclusive=True))
    now: datetime = NOON
    acceptance: dict[str, float] = field(default_factory=dict)
    verdict: str = "Pass"
    lose: Callable[[Step], bool] = lambda step: False
    history: list[Step] = field(default_factory=list)

    def decided(self) -> Plan:
        return decide(self.run, self.seen, self.now)

    def turn(self) -> Plan:
        """One turn of a hand: decide, store the status, carry the steps out."""
        plan = self.decided()
        self.run = self.run.model_copy(update={"status": plan.status})
        for step in plan.steps:
            self.history.append(step)
            if not self.lose(step):
                self._carry_out(step)
        self.seen = replace(self.seen, retry=False)
        self.now += plan.requeue or timedelta(seconds=1)
        return plan

    def until_rest(self, turns: int = 200) -> Plan:
        for _ in range(turns):
            plan = self.turn()
            if not plan.steps and plan.requeue is None:
                return plan
        raise AssertionError(f"no rest after {turns} turns: {plan}")

    def _carry_out(self, step: Step) -> None:
        match step:
            case RequestSeeds(stratum=stratum, offset=offset, count=count):
                strata = dict(self.seen.account.strata)
                inputs = max(strata.get(stratum, StratumSeen()).inputs, offset + count)
                accepted = int(inputs * self.acceptance.get(stratum, 0.5))
                strata[stratum] = StratumSeen(inputs=inputs, accepted=accepted, drops=inputs - accepted)
                self.seen = replace(self.seen, account=AccountSeen(strata, sum(one.inputs for one in strata.values())))
            case SealDataset():
                rows = sum(one.accepted for one in self.seen.account.strata.values())
                self.seen = replace(self.seen, dataset=DatasetSeen(DIGEST, rows))
            case RunJob(job=job, attempt=attempt):
                made = JobSeen(JobState.DONE, attempt, digest=DIGEST, verdict=self.verdict if job is Job.GATE else "")
                self._job(job, made)
            case CancelJob(job=job):
                self._job(job, JobSeen(JobState.FAILED))
            case RecordArtifact(job=job):
                self.seen = replace(self.seen, recorded=self.seen.recorded | {job})
            case ServeModel(side=side):
                self.seen = replace(self.seen, serving={**self.seen.serving, side: Serving.READY})
            case StopServing(side=side):
                self.seen = replace(self.seen, serving={**self.seen.serving, side: Serving.ABSENT})

    def _job(self, job: Job, one: JobSeen) -> None:
        self.seen = replace(self.seen, jobs={**self.seen.jobs, job: one})


def gathered_world(run: AlignmentRun, **changes: object) -> Seen:
    """A world in which the data is sealed and the baseline is measured."""
    done = JobSeen(JobState.DONE, digest=DIGEST)
    full = {"I": 10, "I+benign": 7, "II": 10, "II+benign": 7}
    return replace(
        Seen(
            pack=PACK,
            exclusive=True,
            account=AccountSeen({name: StratumSeen(inputs=n, accepted=n) for name, n in full.items()}, 34),
            dataset=DatasetSeen(DIGEST, 34),
            jobs={Job.WEIGHTS: done, Job.EVALUATE_BASELINE: done},
            recorded=frozenset(Job),
        ),
        **changes,  # type: ignore[arg-type]
    )
