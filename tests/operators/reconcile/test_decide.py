from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from gyeol.reconcile.alignment import AlignmentRun
from gyeol.reconcile.allotment import Kind
from gyeol.reconcile.condition import ConditionType, found
from gyeol.reconcile.decide import decide, final
from gyeol.reconcile.fault import Fault
from gyeol.reconcile.plan import (
    CancelJob,
    Plan,
    RecordArtifact,
    RequestSeeds,
    RunJob,
    SealDataset,
    ServeModel,
    StopServing,
)
from gyeol.reconcile.seen import (
    AccountSeen,
    DatasetSeen,
    Job,
    JobSeen,
    JobState,
    Quota,
    Seen,
    Serving,
    Side,
    StratumSeen,
)
from support.world import DIGEST, NOON, PACK, World, aligned, gathered_world

DONE = JobSeen(JobState.DONE, digest=DIGEST)
RUNNING = JobSeen(JobState.RUNNING, started_at=NOON)
SERVED = {Side.BASELINE: Serving.READY}


def condition(plan: Plan, kind: ConditionType) -> tuple[str, str]:
    one = found(plan.status.conditions, kind)
    return (one.status, one.reason) if one else ("", "")


def jobs(*done: Job, **others: JobSeen) -> dict[Job, JobSeen]:
    return {Job.WEIGHTS: DONE} | dict.fromkeys(done, DONE) | {Job[name.upper()]: one for name, one in others.items()}


BOTH = (Job.EVALUATE_BASELINE, Job.EVALUATE_CANDIDATE)

WORLDS = {
    "nothing is there: the weights are fetched first": (
        Seen(pack=PACK, exclusive=True),
        [RunJob(Job.WEIGHTS)],
    ),
    "weights are being fetched: wait": (
        Seen(pack=PACK, jobs={Job.WEIGHTS: RUNNING}),
        [],
    ),
    "weights are there: the base model is served, because its answers are mined": (
        Seen(pack=PACK, jobs=jobs(), recorded=frozenset(Job)),
        [ServeModel(Side.BASELINE)],
    ),
    "weights are there and not recorded: the ledger learns of them": (
        Seen(pack=PACK, jobs=jobs(), serving=SERVED | {Side.BASELINE: Serving.STARTING}),
        [RecordArtifact(Job.WEIGHTS)],
    ),
    "the model is being loaded: no seed is asked for": (
        Seen(pack=PACK, jobs=jobs(), serving={Side.BASELINE: Serving.STARTING}, recorded=frozenset(Job)),
        [],
    ),
    "the model answers: every stratum asks for its first wave": (
        Seen(pack=PACK, exclusive=True, jobs=jobs(), serving=SERVED, recorded=frozenset(Job)),
        [
            RequestSeeds("I", Kind.HARMFUL, 0, 10),
            RequestSeeds("I+benign", Kind.BENIGN, 0, 7),
            RequestSeeds("II", Kind.HARMFUL, 0, 10),
            RequestSeeds("II+benign", Kind.BENIGN, 0, 7),
        ],
    ),
    "a stratum can give only three seeds: no more are asked of it": (
        Seen(
            pack=PACK,
            exclusive=True,
            jobs=jobs(),
            serving=SERVED,
            recorded=frozenset(Job),
            capacity={"I": 3, "I+benign": 0, "II": 100, "II+benign": 100},
        ),
        [
            RequestSeeds("I", Kind.HARMFUL, 0, 3),
            RequestSeeds("II", Kind.HARMFUL, 0, 10),
            RequestSeeds("II+benign", Kind.BENIGN, 0, 7),
        ],
    ),
    "every stratum is full, one machine: the baseline is measured while it is served anyway": (
        gathered_world(aligned(), dataset=None, jobs=jobs(), serving=SERVED),
        [RunJob(Job.EVALUATE_BASELINE)],
    ),
    "own machines: the baseline is measured while seeds are asked for": (
        Seen(pack=PACK, jobs=jobs(), serving=SERVED, recorded=frozenset(Job), capacity=dict.fromkeys(("I+benign", "II", "II+benign"), 0)),
        [RunJob(Job.EVALUATE_BASELINE), RequestSeeds("I", Kind.HARMFUL, 0, 10)],
    ),
    "the baseline is measured: the dataset is sealed without what the evaluation asks": (
        gathered_world(aligned(), dataset=None, serving=SERVED),
        [SealDataset()],
    ),
    "sealed: the data is checked, and the engine that is not needed any more is stopped": (
        gathered_world(aligned(), serving=SERVED),
        [RunJob(Job.PREFLIGHT), StopServing(Side.BASELINE)],
    ),
    "checked, one machine: the trainer waits until the engine is gone": (
        gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE), serving=SERVED),
        [StopServing(Side.BASELINE)],
    ),
    "checked, own machines: the trainer does not wait": (
        gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE), serving=SERVED, exclusive=False),
        [RunJob(Job.TRAIN), StopServing(Side.BASELINE)],
    ),
    "nothing is served any more: the trainer starts": (
        gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE), serving={}),
        [RunJob(Job.TRAIN)],
    ),
    "training: no engine is started beside it": (
        gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE, train=RUNNING), serving={}),
        [],
    ),
    "trained: the candidate is served": (
        gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE, Job.TRAIN), serving={}),
        [ServeModel(Side.CANDIDATE)],
    ),
    "candidate answers: it is measured": (
        gathered_world(
            aligned(),
            jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE, Job.TRAIN),
            serving={Side.CANDIDATE: Serving.READY},
        ),
        [RunJob(Job.EVALUATE_CANDIDATE)],
    ),
    "both measured: the gate compares, and the candidate is no longer served": (
        gathered_world(
            aligned(), jobs=jobs(Job.PREFLIGHT, Job.TRAIN, *BOTH), serving={Side.CANDIDATE: Serving.READY}
        ),
        [RunJob(Job.GATE), StopServing(Side.CANDIDATE)],
    ),
    "a result is not recorded yet: the ledger learns of it beside everything else": (
        gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, gate=RUNNING, train=DONE, evaluate_baseline=DONE, evaluate_candidate=DONE), serving={}, recorded=frozenset(Job) - {Job.TRAIN}),
        [RecordArtifact(Job.TRAIN)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_each_world_asks_for_exactly_its_next_steps(name: str) -> None:
    seen, steps = WORLDS[name]
    assert list(decide(aligned(), seen, NOON).steps) == steps


@pytest.mark.parametrize("exclusive", [True, False])
def test_a_run_goes_from_nothing_to_success_and_then_asks_for_nothing(exclusive: bool) -> None:
    world = World(aligned(), Seen(pack=PACK, exclusive=exclusive))
    plan = world.until_rest()
    assert plan.status.state == "Succeeded"
    assert [(one.type, one.status) for one in plan.status.conditions] == [
        (kind, "True") for kind in ConditionType if kind is not ConditionType.PROMOTED
    ]
    again = decide(world.run, world.seen, world.now)
    assert (again.steps, again.status, again.events) == ((), plan.status, ())


def test_no_step_that_was_carried_out_is_asked_for_again() -> None:
    world = World(aligned(), acceptance={"I": 0.31, "II+benign": 0.2})
    world.until_rest()
    repeated = {step: count for step, count in Counter(world.history).items() if count > 1}
    assert not repeated


def test_engine_and_trainer_never_overlap_where_they_share_a_machine() -> None:
    world = World(aligned())
    started = 0
    for _ in range(60):
        plan = world.decided()
        if RunJob(Job.TRAIN) in plan.steps:
            started += 1
            assert all(where is Serving.ABSENT for where in world.seen.serving.values())
            assert not any(isinstance(step, ServeModel) for step in plan.steps)
        world.turn()
    assert started == 1


def test_the_next_wave_waits_until_nothing_of_the_last_one_is_on_its_way() -> None:
    run = aligned()
    seen = Seen(pack=PACK, exclusive=True, jobs=jobs(), serving=SERVED, recorded=frozenset(Job))
    first = decide(run, seen, NOON)
    run = run.model_copy(update={"status": first.status})
    halfway = {
        "I": StratumSeen(inputs=10, accepted=1, drops=6, pending=3),
        "II": StratumSeen(inputs=10, accepted=4, drops=6),
    }
    seen = replace(seen, account=AccountSeen(halfway, moves=5))
    second = decide(run, seen, NOON + timedelta(seconds=5))
    assert list(second.steps) == [RequestSeeds("II", Kind.HARMFUL, 10, 14)]


def test_a_wave_that_was_written_down_but_never_sent_is_sent_again() -> None:
    world = World(
        aligned(), lose=lambda step: isinstance(step, RequestSeeds) and step.redrive == 0 and step.stratum == "I"
    )
    plan = world.until_rest()
    assert plan.status.state == "Succeeded"
    redriven = [step for step in world.history if isinstance(step, RequestSeeds) and step.redrive]
    assert redriven
    assert {step.stratum for step in redriven} == {"I"}
    assert all(step.offset == 0 for step in redriven)


def test_a_broker_that_lost_everything_ends_in_a_clear_block_and_not_in_endless_waiting() -> None:
    world = World(aligned(), lose=lambda step: isinstance(step, RequestSeeds))
    for _ in range(2000):
        plan = world.turn()
        if plan.status.state == "Blocked":
            break
    assert condition(plan, ConditionType.DATA_SEALED) == ("False", "NoProgress")
    requests = Counter(step.redrive for step in world.history if isinstance(step, RequestSeeds))
    assert sorted(requests) == [0, 1, 2, 3]


def test_starting_a_stuck_run_again_asks_again_for_what_is_missing() -> None:
    world = World(aligned(), lose=lambda step: isinstance(step, RequestSeeds))
    while world.turn().status.state != "Blocked":
        pass
    world.lose = lambda step: False
    world.seen = replace(world.seen, retry=True)
    assert world.until_rest().status.state == "Succeeded"


def test_a_hand_that_was_killed_before_it_asked_for_seeds_asks_again_at_once_and_writes_nothing_for_it() -> None:
    world = World(aligned(), lose=lambda step: isinstance(step, RequestSeeds))
    while not any(isinstance(step, RequestSeeds) for step in world.turn().steps):
        pass
    waiting = world.decided()
    assert not [step for step in waiting.steps if isinstance(step, RequestSeeds)]
    world.seen = replace(world.seen, resumed=True)
    resumed = world.decided()
    assert {step.stratum for step in resumed.steps if isinstance(step, RequestSeeds)} == {
        "I",
        "I+benign",
        "II",
        "II+benign",
    }
    assert resumed.status == waiting.status


def test_counts_do_not_depend_on_the_order_in_which_strata_finish() -> None:
    def requests(slow: str) -> list[RequestSeeds]:
        turns = iter(range(1000))
        held: set[RequestSeeds] = set()

        def lose(step: object) -> bool:
            late = (
                isinstance(step, RequestSeeds) and step.stratum == slow and step.redrive == 0 and next(turns) % 2 == 0
            )
            if late:
                held.add(step)
            return late

        world = World(aligned(), acceptance={"I": 0.3, "II": 0.4}, lose=lose)
        world.until_rest(turns=400)
        return sorted((step for step in world.history if isinstance(step, RequestSeeds) and not step.redrive), key=repr)

    assert requests("I") == requests("II") == requests("none")


def test_a_stratum_that_runs_dry_is_reported_and_the_run_goes_on() -> None:
    world = World(aligned(), Seen(pack=PACK, exclusive=True, capacity={"I": 4}), acceptance={"I": 1.0})
    plan = world.until_rest()
    sealed = found(plan.status.conditions, ConditionType.DATA_SEALED)
    assert sealed is not None
    assert (sealed.status, sealed.reason) == ("True", "SealedWithDeficit")
    assert "I 4/10" in sealed.message
    assert plan.status.state == "Succeeded"


def test_a_stratum_below_its_stated_minimum_fails_the_run_for_good() -> None:
    run = aligned(lambda text: text.replace("strata: L1", "strata: L1, minimumPerStratum: 10"))
    world = World(run, Seen(pack=PACK, exclusive=True, capacity={"I": 4}), acceptance={"I": 1.0})
    plan = world.until_rest()
    assert condition(plan, ConditionType.SUCCEEDED) == ("False", "BelowMinimum")
    world.seen = replace(world.seen, capacity={})
    assert world.decided().steps == ()


def test_the_ceiling_is_never_passed_however_bad_the_acceptance_is() -> None:
    run = aligned(lambda text: text.replace("maxCandidates: 400", "maxCandidates: 75"))
    world = World(run, acceptance=dict.fromkeys(("I", "II", "I+benign", "II+benign"), 0.1))
    world.until_rest()
    asked = sum(step.count for step in world.history if isinstance(step, RequestSeeds))
    assert asked == 75


def test_a_ceiling_below_the_target_is_refused_before_anything_is_asked_for() -> None:
    run = aligned(lambda text: text.replace("maxCandidates: 400", "maxCandidates: 19"))
    plan = decide(run, Seen(pack=PACK, jobs=jobs(), serving=SERVED, recorded=frozenset(Job)), NOON)
    assert condition(plan, ConditionType.SUCCEEDED) == ("False", "CeilingBelowTarget")
    assert not [step for step in plan.steps if isinstance(step, RequestSeeds)]


def test_nothing_accepted_at_all_is_a_failure() -> None:
    world = World(aligned(), acceptance=dict.fromkeys(("I", "II", "I+benign", "II+benign"), 0.0))
    assert condition(world.until_rest(), ConditionType.SUCCEEDED) == ("False", "NothingAccepted")


def test_most_records_failing_stops_the_run_instead_of_using_the_ceiling_up() -> None:
    books = {"I": StratumSeen(inputs=6, failures=6)}
    seen = Seen(
        pack=PACK,
        exclusive=True,
        jobs=jobs(),
        serving=SERVED,
        recorded=frozenset(Job),
        account=AccountSeen(books, moves=9),
    )
    plan = decide(aligned(), seen, NOON)
    assert condition(plan, ConditionType.DATA_SEALED) == ("False", "RecordsFailing")
    assert plan.steps == ()
    retried = decide(aligned(), replace(seen, retry=True), NOON)
    assert retried.status.state == "Gathering"


@pytest.mark.parametrize(("review", "pauses"), [("None", False), ("Disagreements", True), ("All", True)])
def test_open_reviews_pause_the_run_before_sealing_when_it_asks_for_them(review: str, pauses: bool) -> None:
    run = aligned(lambda text: text.replace("review: None", f"review: {review}"))
    seen = gathered_world(run, dataset=None, serving=SERVED, reviews_waiting=3, review_at="http://127.0.0.1:8080")
    plan = decide(run, seen, NOON)
    assert (SealDataset() in plan.steps) is not pauses
    if pauses:
        one = found(plan.status.conditions, ConditionType.DATA_SEALED)
        assert one is not None
        assert (one.status, one.reason) == ("Unknown", "AwaitingReview")
        assert "http://127.0.0.1:8080" in one.message
    assert SealDataset() in decide(run, replace(seen, reviews_waiting=0), NOON).steps


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"pack": replace(PACK, digest="sha256:" + "1" * 64)}, "PackChanged"),
        ({"pack": None}, "PackMissing"),
        (
            {"jobs": jobs(Job.EVALUATE_BASELINE) | {Job.WEIGHTS: JobSeen(JobState.DONE, digest="other")}},
            "BaseModelChanged",
        ),
        ({"dataset": DatasetSeen("other", 20)}, "DatasetChanged"),
    ],
)
def test_a_run_does_not_go_on_with_something_else_than_it_began_with(changed: dict[str, object], reason: str) -> None:
    run = aligned()
    run = run.model_copy(update={"status": decide(run, gathered_world(run), NOON).status})
    plan = decide(run, gathered_world(run, **changed), NOON)
    assert condition(plan, ConditionType.DATA_SEALED) == ("False", reason)
    assert plan.status.state == "Blocked"
    assert not [step for step in plan.steps if isinstance(step, RunJob)]
    back = decide(run.model_copy(update={"status": plan.status}), gathered_world(run), NOON)
    assert back.steps == (RunJob(Job.PREFLIGHT),)


def test_a_failed_job_is_tried_again_after_a_growing_pause_and_then_given_up() -> None:
    def plan(attempt: int, after: float) -> Plan:
        failed = JobSeen(JobState.FAILED, attempt, "the disk is full", NOON, NOON)
        return decide(
            aligned(),
            gathered_world(aligned(), jobs=jobs(Job.EVALUATE_BASELINE, preflight=failed)),
            NOON + timedelta(seconds=after),
        )

    assert plan(0, 5).steps == ()
    assert plan(0, 5).requeue == timedelta(seconds=5)
    assert plan(0, 10).steps == (RunJob(Job.PREFLIGHT, 1),)
    assert plan(1, 10).steps == ()
    assert plan(1, 20).steps == (RunJob(Job.PREFLIGHT, 2),)
    given_up = plan(2, 1000)
    assert given_up.steps == ()
    assert condition(given_up, ConditionType.PREFLIGHT_PASSED) == ("False", "AttemptsExhausted")
    assert not final(given_up.status)


def test_a_job_that_refuses_its_input_is_not_tried_again() -> None:
    refused = JobSeen(JobState.REFUSED, 0, "no EOS token", NOON, NOON)
    plan = decide(
        aligned(),
        gathered_world(aligned(), jobs=jobs(Job.EVALUATE_BASELINE, preflight=refused)),
        NOON + timedelta(days=1),
    )
    assert condition(plan, ConditionType.PREFLIGHT_PASSED) == ("False", "BadInput")
    assert plan.steps == ()


def test_training_past_its_deadline_is_stopped_and_the_run_fails() -> None:
    seen = gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE, train=RUNNING), serving={})
    plan = decide(aligned(), seen, NOON + timedelta(seconds=86400))
    assert CancelJob(Job.TRAIN) in plan.steps
    assert condition(plan, ConditionType.SUCCEEDED) == ("False", "DeadlineExceeded")


@pytest.mark.parametrize(
    ("quota", "status"), [(Quota.WAITING, "Unknown"), (Quota.RESERVED, "True"), (Quota.NOT_QUEUED, "True")]
)
def test_the_queue_is_told_apart_from_training(quota: Quota, status: str) -> None:
    seen = gathered_world(
        aligned(), jobs=jobs(Job.PREFLIGHT, Job.EVALUATE_BASELINE, train=RUNNING), serving={}, quota=quota
    )
    assert condition(decide(aligned(), seen, NOON), ConditionType.QUOTA_RESERVED)[0] == status


def test_a_run_that_names_what_nobody_has_ends_before_anything_is_made_for_it() -> None:
    faults = (
        Fault("spec.gate.policyRef.name", "'strict' is no gate policy; There are ko-default"),
        Fault("spec.evaluation.suites[0].data", "is required"),
    )
    plan = decide(aligned(), Seen(pack=PACK, faults=faults), NOON)
    assert plan.steps == ()
    assert plan.requeue is None
    assert plan.status.state == "Failed"
    assert condition(plan, ConditionType.SUCCEEDED) == ("False", "UnknownReference")
    end = found(plan.status.conditions, ConditionType.SUCCEEDED)
    assert end is not None
    assert end.message == (
        "spec.gate.policyRef.name: 'strict' is no gate policy; There are ko-default; "
        "spec.evaluation.suites[0].data: is required; create a new run with another specification"
    )
    assert len(plan.events) == 1


def test_a_run_that_has_begun_goes_on_whatever_can_be_named_since() -> None:
    run = aligned()
    run = run.model_copy(update={"status": decide(run, gathered_world(run), NOON).status})
    again = decide(run, gathered_world(run, faults=(Fault("spec.gate.policyRef.name", "is gone"),)), NOON)
    assert again == decide(run, gathered_world(run), NOON)


@pytest.mark.parametrize("verdict", ["Fail", "Inconclusive"])
def test_only_a_pass_passes_and_the_other_verdicts_are_final(verdict: str) -> None:
    run = aligned(lambda text: text + "  promotion: {environment: staging, strategy: PullRequest}\n")
    world = World(run, verdict=verdict)
    plan = world.until_rest()
    assert condition(plan, ConditionType.GATE_PASSED) == ("False", verdict)
    assert RunJob(Job.PROMOTE) not in world.history
    world.verdict = "Pass"
    world._job(Job.GATE, JobSeen(JobState.DONE, verdict="Pass"))
    assert world.decided().status.state == "Failed"


def test_a_gate_without_a_verdict_is_never_a_pass() -> None:
    plan = decide(
        aligned(), gathered_world(aligned(), jobs=jobs(Job.PREFLIGHT, Job.TRAIN, *BOTH, gate=DONE), serving={}), NOON
    )
    assert condition(plan, ConditionType.GATE_PASSED) == ("False", "NoVerdict")


def test_a_passing_candidate_is_promoted_where_the_run_says_so() -> None:
    run = aligned(lambda text: text + "  promotion: {environment: staging, strategy: PullRequest}\n")
    world = World(run)
    plan = world.until_rest()
    assert world.history.count(RunJob(Job.PROMOTE)) == 1
    assert condition(plan, ConditionType.PROMOTED) == ("True", "PullRequest")


def test_a_run_that_ended_stops_what_still_runs_and_serves() -> None:
    world = World(aligned(), verdict="Fail")
    world.until_rest()
    seen = replace(world.seen, serving=SERVED, jobs={**world.seen.jobs, Job.TRAIN: RUNNING})
    assert decide(world.run, seen, NOON).steps == (StopServing(Side.BASELINE), CancelJob(Job.TRAIN))


def test_no_condition_is_false_while_a_run_is_healthy() -> None:
    world = World(aligned())
    for _ in range(60):
        assert all(one.status != "False" for one in world.turn().status.conditions)


def test_a_transition_time_moves_only_when_the_status_does() -> None:
    run = aligned()
    seen = Seen(pack=PACK, jobs={Job.WEIGHTS: RUNNING})
    first = decide(run, seen, NOON)
    later = decide(run.model_copy(update={"status": first.status}), seen, NOON + timedelta(minutes=5))
    assert later.status == first.status


def test_each_milestone_is_told_once() -> None:
    world = World(aligned())
    told = Counter(event.reason for _ in range(60) for event in world.turn().events)
    assert told["Sealed"] == told["Trained"] == told["Succeeded"] == 1


def test_the_generation_is_observed(run: AlignmentRun | None = None) -> None:
    run = aligned()
    run = run.model_copy(update={"metadata": run.metadata.model_copy(update={"generation": 7})})
    plan = decide(run, Seen(pack=PACK), NOON)
    assert plan.status.observed_generation == 7
    assert {one.observed_generation for one in plan.status.conditions} == {7}


def test_a_model_that_does_not_answer_is_waited_for_but_not_for_ever_and_the_run_goes_on_once_it_does() -> None:
    starting = {Side.CANDIDATE: Serving.STARTING}
    seen = gathered_world(aligned(), serving=starting, serving_since={Side.CANDIDATE: NOON})
    seen = replace(seen, jobs={**seen.jobs, Job.PREFLIGHT: DONE, Job.TRAIN: DONE})
    soon = decide(aligned(), seen, NOON + timedelta(minutes=59))
    assert condition(soon, ConditionType.EVALUATED) == ("Unknown", "ModelStarting")
    late = decide(aligned(), seen, NOON + timedelta(minutes=60))
    assert condition(late, ConditionType.EVALUATED) == ("False", "ModelNotAnswering")
    assert late.status.state == "Blocked"
    answering = replace(seen, serving={Side.CANDIDATE: Serving.READY})
    assert RunJob(Job.EVALUATE_CANDIDATE) in decide(aligned(), answering, NOON + timedelta(minutes=61)).steps


def test_a_model_that_cannot_be_served_at_all_blocks_the_run_with_the_reason() -> None:
    seen = Seen(pack=PACK, jobs=jobs(), unservable={Side.BASELINE: "InferenceService is not installed; install KServe"})
    plan = decide(aligned(), seen, NOON)
    one = found(plan.status.conditions, ConditionType.DATA_SEALED)
    assert one is not None
    assert (one.status, one.reason) == ("False", "CannotServe")
    assert "install KServe" in one.message
    assert ServeModel(Side.BASELINE) in plan.steps, "it is tried again whenever somebody looks"
