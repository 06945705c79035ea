"""What peers are told over gRPC: runs, books, records, reviews, budgets, artifacts and metrics."""

from __future__ import annotations

import asyncio
import math
from decimal import Decimal
from typing import Any

import grpc
import grpc.aio
import pytest

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten
from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_DUPLICATE, DROP_REASON_NOT_MINED, DROP_REASON_PANEL
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.api.seed.v1.seed_pb2 import SEED_KIND_BENIGN
from support.record import life, record_dropped, record_failed, seed, stage_completed, triplet_accepted


async def refused(call: Any) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return caught.value


async def test_a_run_is_registered_once(ledger: Any) -> None:
    first = await ledger.runs.CreateRun(pb.CreateRunRequest(id="run-1", name="quick", spec_json='{"b": 1, "a": [2]}'))
    again = await ledger.runs.CreateRun(pb.CreateRunRequest(id="run-1", name="quick", spec_json='{"a":[2],"b":1}'))
    assert first.run == again.run
    assert first.run.spec_json == '{"a":[2],"b":1}'
    assert first.run.spec_digest.startswith("sha256:")
    error = await refused(ledger.runs.CreateRun(pb.CreateRunRequest(id="run-1", name="quick", spec_json='{"b": 2}')))
    assert error.code() is grpc.StatusCode.ABORTED
    assert "Use a new id" in (error.details() or "")


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.CreateRunRequest(id="", name="n", spec_json="{}"), "id=''"),
        (pb.CreateRunRequest(id="a/b", name="n", spec_json="{}"), "id='a/b'"),
        (pb.CreateRunRequest(id="a", name="n", spec_json="not json"), "spec_json="),
        (pb.CreateRunRequest(id="a", name="n", spec_json="[]"), "spec_json='[]'"),
        (pb.CreateRunRequest(id="a", name="n", spec_json='{"data":{"review":"Some"}}'), "data.review='Some'"),
        (pb.CreateRunRequest(id="a", name="n", spec_json='{"data":{"budget":{"money":"x"}}}'), "data.budget.money='x'"),
    ],
    ids=["no id", "a slash in the id", "no json", "no object", "no such review rule", "no amount of money"],
)
async def test_a_run_that_cannot_be_used_is_refused_by_field(ledger: Any, request_: Any, field: str) -> None:
    error = await refused(ledger.runs.CreateRun(request_))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (error.details() or "").startswith(field)


async def test_an_unknown_run_is_not_found(ledger: Any) -> None:
    for call in (
        ledger.runs.GetRun(pb.GetRunRequest(id="x")),
        ledger.runs.GetAccount(pb.GetAccountRequest(run_id="x")),
        ledger.runs.UpdateRunStatus(pb.UpdateRunStatusRequest(id="x", status_json="{}")),
        ledger.budgets.ReserveBudget(pb.ReserveBudgetRequest(run_id="x", reservation_id="1")),
        ledger.datasets.SealDataset(pb.SealDatasetRequest(run_id="x", destination="/tmp/x")),
    ):
        assert (await refused(call)).code() is grpc.StatusCode.NOT_FOUND


async def test_runs_are_listed_newest_first_page_by_page(ledger: Any) -> None:
    for number in range(5):
        ledger.clock.advance(60)
        await ledger.start_run(f"run-{number}")
    names, token = [], ""
    while True:
        page = await ledger.runs.ListRuns(pb.ListRunsRequest(page_size=2, page_token=token))
        names += [run.id for run in page.runs]
        token = page.next_page_token
        if not token:
            break
    assert names == ["run-4", "run-3", "run-2", "run-1", "run-0"]
    assert (
        (await refused(ledger.runs.ListRuns(pb.ListRunsRequest(page_token="zzz")))).details().startswith("page_token")
    )
    assert (
        (await refused(ledger.runs.ListRuns(pb.ListRunsRequest(page_size=501)))).details().startswith("page_size=501")
    )


async def test_a_status_is_kept(ledger: Any) -> None:
    await ledger.start_run()
    await ledger.runs.UpdateRunStatus(pb.UpdateRunStatusRequest(id="run-1", status_json='{"phase":"Training"}'))
    assert (await ledger.runs.GetRun(pb.GetRunRequest(id="run-1"))).run.status_json == '{"phase":"Training"}'
    error = await refused(ledger.runs.UpdateRunStatus(pb.UpdateRunStatusRequest(id="run-1", status_json="")))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_an_account_tells_what_became_of_every_record(ledger: Any) -> None:
    await ledger.start_run(spec='{"data":{"budget":{"money":"1.00","currency":"USD","tokens":1000}}}')
    await ledger.hear(
        *[event for number in range(3) for event in life(seed(number), calls=2)],
        *life(seed(1, benign=True)),
        record_dropped(seed(7), "seed", DROP_REASON_DUPLICATE),
        *[stage_completed(seed(8), stage, cached=3) for stage in ("seed", "policy", "candidate")],
        record_dropped(seed(8), "candidate", DROP_REASON_NOT_MINED),
        stage_completed(seed(9), "seed"),
        record_failed(seed(9), "policy"),
        stage_completed(seed(10), "seed"),
    )
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert [(s.stage, s.inputs, s.results, s.drops, s.failures, s.pending) for s in account.stages] == [
        ("seed", 8, 7, 1, 0, 0),
        ("policy", 7, 5, 0, 1, 1),
        ("candidate", 5, 4, 1, 0, 0),
        ("judge", 4, 4, 0, 0, 0),
    ]
    assert [(s.stratum, s.inputs, s.accepted, s.drops, s.failures, s.pending) for s in account.strata] == [
        ("IV/G", 7, 3, 2, 1, 1),
        ("IV/G+benign", 1, 1, 0, 0, 0),
    ]
    assert dict(account.drops) == {"DUPLICATE": 1, "NOT_MINED": 1}
    assert (account.inputs, account.triplets, account.benign_triplets, account.failures) == (8, 4, 1, 1)
    assert (account.calls, account.cached_calls) == (3 * 4 * 2 + 4, 9)
    assert (account.balanced, account.gaps) == (False, 0)
    assert (account.budget.money_limit, account.budget.token_limit, account.money) == ("1.00", 1000, "0")
    await ledger.hear(record_failed(seed(10), "policy"))
    assert (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account.balanced


async def test_triplets_are_listed_by_filter_without_rejected_text(ledger: Any) -> None:
    await ledger.start_run()
    await ledger.hear(*[event for number in range(5) for event in life(seed(number))], *life(seed(1, benign=True)))
    await ledger.hear(triplet_accepted(seed(40), disputed=True), triplet_accepted(seed(41), run="run-2"))

    async def listed(**wanted: Any) -> list[pb.StoredTriplet]:
        found: list[pb.StoredTriplet] = []
        token = ""
        while True:
            page = await ledger.records.ListTriplets(
                pb.ListTripletsRequest(run_id="run-1", page_size=2, page_token=token, **wanted)
            )
            found += page.triplets
            token = page.next_page_token
            if not token:
                assert page.total == len(found)
                return found

    everything = await listed()
    assert len({stored.triplet.id for stored in everything}) == 7
    assert [stored.triplet.id for stored in everything] == sorted(stored.triplet.id for stored in everything)
    assert all(stored.triplet.rejected == "" and stored.triplet.mined.rejected == "" for stored in everything)
    assert all(stored.triplet.chosen for stored in everything)
    assert len(await listed(kind=SEED_KIND_BENIGN)) == 1
    assert len(await listed(stratum="IV/G+benign")) == 1
    assert len(await listed(disputed_only=True)) == 1
    assert len(await listed(category="A")) == 0
    assert len(await listed(query="사정 번호는 3입니다")) == 1
    assert len(await listed(query="100%")) == 0
    assert len(await listed(review=pb.REVIEW_APPROVED)) == 0


async def test_rejected_text_is_read_by_name_and_never_in_passing(ledger: Any) -> None:
    await ledger.start_run()
    event = triplet_accepted(seed(1))
    await ledger.hear(event)
    error = await refused(ledger.records.RevealRejected(pb.RevealRejectedRequest(run_id="run-1", record_id=seed(1).id)))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (error.details() or "").startswith("reader=''")
    ledger.clock.advance(5)
    revealed = await ledger.records.RevealRejected(
        pb.RevealRejectedRequest(run_id="run-1", record_id=seed(1).id, reader="kim")
    )
    assert revealed.rejected == event.triplet.rejected
    one = await ledger.records.GetTriplet(pb.GetTripletRequest(run_id="run-1", triplet_id=event.triplet.id))
    assert one.triplet.triplet.rejected == ""
    assert [(access.action, access.person, access.at.ToDatetime().second) for access in one.history] == [
        ("revealed", "kim", 5)
    ]


async def test_drops_and_failures_are_listed_without_evidence_which_a_reader_may_ask_for(ledger: Any) -> None:
    await ledger.start_run()
    events = [record_dropped(seed(number), "judge", DROP_REASON_PANEL) for number in range(3)]
    events += [record_dropped(seed(3), "seed", DROP_REASON_DUPLICATE)]
    await ledger.hear(*events, record_failed(seed(9), "policy"), stage_completed(seed(3), "policy"))
    drops, failures, token = [], [], ""
    while True:
        page = await ledger.records.ListDrops(pb.ListDropsRequest(run_id="run-1", page_size=2, page_token=token))
        drops += page.drops
        failures += page.failures
        token = page.next_page_token
        if not token:
            break
    assert {drop.record_id for drop in drops} == {seed(number).id for number in range(3)}
    assert all(drop.evidence == b"" and drop.detail for drop in drops)
    assert [(failure.record_id, failure.payload) for failure in failures] == [(seed(9).id, b"")]
    by_reason = await ledger.records.ListDrops(pb.ListDropsRequest(run_id="run-1", reason=DROP_REASON_NOT_MINED))
    assert not by_reason.drops
    assert not by_reason.failures
    evidence = await ledger.records.RevealRejected(
        pb.RevealRejectedRequest(run_id="run-1", record_id=seed(0).id, reader="kim")
    )
    assert evidence.evidence_type == "gyeol.api.candidate.v1.CandidatesWritten"
    assert CandidatesWritten.FromString(evidence.evidence).mined.rejected


async def test_reviews_change_the_books_until_they_are_taken_back(ledger: Any) -> None:
    await ledger.start_run()
    await ledger.hear(*life(seed(1)), *life(seed(2)))
    triplet_id = triplet_accepted(seed(1)).triplet.id

    async def review(review: pb.Review.ValueType, comment: str = "") -> pb.StoredTriplet:
        request = pb.ReviewTripletRequest(
            run_id="run-1", triplet_id=triplet_id, review=review, reviewer="lee", comment=comment
        )
        stored: pb.StoredTriplet = (await ledger.records.ReviewTriplet(request)).triplet
        return stored

    assert (await review(pb.REVIEW_REJECTED, "조문이 다릅니다.")).review == pb.REVIEW_REJECTED
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert (account.triplets, dict(account.drops), account.balanced) == (1, {"REVIEW": 1}, True)
    assert account.stages[-1].stage == "review"
    assert (await review(pb.REVIEW_UNSPECIFIED, "다시 보겠습니다.")).review == pb.REVIEW_REJECTED
    await review(pb.REVIEW_APPROVED)
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert (account.triplets, dict(account.drops)) == (2, {})
    one = await ledger.records.GetTriplet(pb.GetTripletRequest(run_id="run-1", triplet_id=triplet_id))
    assert [(access.action, access.comment) for access in one.history] == [
        ("rejected", "조문이 다릅니다."),
        ("comment", "다시 보겠습니다."),
        ("approved", ""),
    ]


async def test_the_log_of_a_run_tells_who_did_what_page_by_page(ledger: Any) -> None:
    await ledger.start_run()
    await ledger.hear(*[triplet_accepted(seed(number)) for number in range(3)])
    for number in range(3):
        ledger.clock.advance(1)
        await ledger.records.RevealRejected(
            pb.RevealRejectedRequest(run_id="run-1", record_id=seed(number).id, reader=f"reader-{number}")
        )
    people, token = [], ""
    while True:
        page = await ledger.records.ListAccesses(pb.ListAccessesRequest(run_id="run-1", page_size=2, page_token=token))
        people += [access.person for access in page.accesses]
        token = page.next_page_token
        if not token:
            break
    assert people == ["reader-2", "reader-1", "reader-0"]
    assert page.accesses[0].record_id == seed(0).id
    forged = pb.ListAccessesRequest(run_id="run-1", page_token="WyJhIl0=")
    assert (await refused(ledger.records.ListAccesses(forged))).code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_review_needs_a_reviewer_and_something_to_say(ledger: Any) -> None:
    await ledger.start_run()
    await ledger.hear(triplet_accepted(seed(1)))
    triplet_id = triplet_accepted(seed(1)).triplet.id
    for request, field in (
        (pb.ReviewTripletRequest(review=pb.REVIEW_APPROVED), "reviewer="),
        (pb.ReviewTripletRequest(reviewer="lee"), "review="),
        (pb.ReviewTripletRequest(reviewer="lee", comment="가" * 2001), "comment="),
    ):
        request.run_id, request.triplet_id = "run-1", triplet_id
        error = await refused(ledger.records.ReviewTriplet(request))
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert (error.details() or "").startswith(field)
    missing = pb.ReviewTripletRequest(run_id="run-1", triplet_id="no", reviewer="lee", review=pb.REVIEW_APPROVED)
    assert (await refused(ledger.records.ReviewTriplet(missing))).code() is grpc.StatusCode.NOT_FOUND


async def test_calls_that_reserve_at_once_never_overspend(ledger: Any) -> None:
    await ledger.start_run(spec='{"data":{"budget":{"money":"1.00","tokens":1000000}}}')

    async def reserve(number: int) -> bool:
        request = pb.ReserveBudgetRequest(run_id="run-1", reservation_id=f"call-{number}", tokens=100, money="0.07")
        try:
            await ledger.budgets.ReserveBudget(request)
        except grpc.aio.AioRpcError as error:
            assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            return False
        return True

    results = await asyncio.gather(*(reserve(number) for number in range(40)))
    assert sum(results) == 14
    again = await asyncio.gather(*(reserve(number) for number, held in enumerate(results) if held))
    assert all(again)
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert (account.budget.money_reserved, account.budget.tokens_reserved) == ("0.98", 1400)


async def test_settling_twice_counts_once_and_frees_the_rest(ledger: Any) -> None:
    await ledger.start_run(spec='{"data":{"budget":{"money":"1.00"}}}')
    await ledger.budgets.ReserveBudget(
        pb.ReserveBudgetRequest(run_id="run-1", reservation_id="a", tokens=900, money="0.90")
    )
    settle = pb.SettleBudgetRequest(run_id="run-1", reservation_id="a", tokens=450, money="0.000045")
    await asyncio.gather(*(ledger.budgets.SettleBudget(settle) for _ in range(5)))
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert (Decimal(account.money), account.tokens) == (Decimal("0.000045"), 450)
    assert Decimal(account.budget.money_reserved) == 0
    settle.reservation_id = "never reserved"
    assert (await refused(ledger.budgets.SettleBudget(settle))).code() is grpc.StatusCode.NOT_FOUND


async def test_a_call_made_again_after_it_was_settled_is_held_and_counted_again(ledger: Any) -> None:
    await ledger.start_run(spec='{"data":{"budget":{"money":"1.00"}}}')
    for tokens in (0, 70):
        await ledger.budgets.ReserveBudget(
            pb.ReserveBudgetRequest(run_id="run-1", reservation_id="a", tokens=100, money="0.10")
        )
        account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
        assert account.budget.tokens_reserved == 100
        await ledger.budgets.SettleBudget(
            pb.SettleBudgetRequest(run_id="run-1", reservation_id="a", tokens=tokens, money=f"0.0{tokens // 10}")
        )
    account = (await ledger.runs.GetAccount(pb.GetAccountRequest(run_id="run-1"))).account
    assert (Decimal(account.money), account.tokens, account.budget.tokens_reserved) == (Decimal("0.07"), 70, 0)


async def test_an_unknown_price_is_refused_under_a_money_budget(ledger: Any) -> None:
    await ledger.start_run(spec='{"data":{"budget":{"money":"1.00"}}}')
    error = await refused(ledger.budgets.ReserveBudget(pb.ReserveBudgetRequest(run_id="run-1", reservation_id="a")))
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "price" in (error.details() or "")


async def test_artifacts_are_recorded_once_with_what_they_were_made_from(ledger: Any) -> None:
    await ledger.start_run()
    model = pb.Artifact(kind="model", digest="sha256:m", run_id="run-1", location="/m", inputs=["sha256:d", "sha256:b"])
    for _ in range(2):
        await ledger.artifacts.RecordArtifact(pb.RecordArtifactRequest(artifact=model))
    ledger.clock.advance(1)
    verdict = pb.Artifact(kind="gate-verdict", digest="sha256:v", run_id="run-1", inputs=["sha256:m"])
    await ledger.artifacts.RecordArtifact(pb.RecordArtifactRequest(artifact=verdict))
    everything = (await ledger.artifacts.ListArtifacts(pb.ListArtifactsRequest(run_id="run-1"))).artifacts
    assert [artifact.kind for artifact in everything] == ["model", "gate-verdict"]
    models = (await ledger.artifacts.ListArtifacts(pb.ListArtifactsRequest(run_id="run-1", kind="model"))).artifacts
    assert [list(artifact.inputs) for artifact in models] == [["sha256:d", "sha256:b"]]
    odd = pb.Artifact(kind="song", digest="x", run_id="run-1")
    error = await refused(ledger.artifacts.RecordArtifact(pb.RecordArtifactRequest(artifact=odd)))
    assert (error.details() or "").startswith("artifact.kind='song'")


async def test_the_newest_value_of_a_step_stands_and_what_is_no_number_stays_none(ledger: Any) -> None:
    points = [pb.MetricPoint(step=step, name="loss", value=1.0 / (step + 1)) for step in range(3)]
    points.append(pb.MetricPoint(step=0, name="rewards/margins", value=math.nan))
    await ledger.artifacts.RecordMetrics(pb.RecordMetricsRequest(run_id="run-1", points=points))
    again = [pb.MetricPoint(step=2, name="loss", value=0.25)]
    await ledger.artifacts.RecordMetrics(pb.RecordMetricsRequest(run_id="run-1", points=again))
    loss = (await ledger.artifacts.ListMetrics(pb.ListMetricsRequest(run_id="run-1", name="loss"))).points
    assert [(point.step, point.value) for point in loss] == [(0, 1.0), (1, 0.5), (2, 0.25)]
    everything = (await ledger.artifacts.ListMetrics(pb.ListMetricsRequest(run_id="run-1"))).points
    assert math.isnan(everything[-1].value)
