"""The REST API tells what the services know, and what is wrong with a request."""

from __future__ import annotations

import io
import json
import math
import zipfile
from typing import Any

import httpx

from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_NOT_MINED, DROP_REASON_PANEL
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from gyeol.chassis.rpc import channel
from support.record import life, record_dropped, seed, stage_completed, triplet_accepted

STATUS = {
    "state": "Gathering",
    "progress": "4/40 triplets",
    "data": {"target": 40, "strata": [{"name": "IV/G", "target": 24}, {"name": "IV/G+benign", "target": 16}]},
    "conditions": [{"type": "DataSealed", "status": "Unknown", "reason": "Gathering", "message": "on its way"}],
}


async def a_run(house: Any) -> None:
    await house.start_run(spec='{"data":{"budget":{"money":"1.50","currency":"USD"}}}', status=json.dumps(STATUS))
    await house.hear(
        *[event for number in range(3) for event in life(seed(number))],
        *life(seed(1, benign=True)),
        stage_completed(seed(8), "seed"),
        stage_completed(seed(8), "policy"),
        record_dropped(seed(8), "candidate", DROP_REASON_NOT_MINED),
    )


def problem(answer: httpx.Response, status: int) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    content: dict[str, Any] = answer.json()
    assert content["status"] == status
    assert content["instance"] == answer.url.path
    return content


async def test_a_run_with_its_books(house: Any) -> None:
    await a_run(house)
    async with house.gateway() as client:
        listed = (await client.get("/api/v1/runs")).json()
        assert [run["id"] for run in listed["runs"]] == ["run-1"]
        run = (await client.get("/api/v1/runs/run-1")).json()
        assert (run["state"], run["target"], run["targets"]["IV/G"]) == ("Gathering", 40, 24)
        assert run["conditions"][0]["message"] == "on its way"
        account = (await client.get("/api/v1/runs/run-1/account")).json()
    assert (account["triplets"], account["benign_triplets"], account["balanced"]) == (4, 1, True)
    assert account["drops"] == {"NOT_MINED": 1}
    assert account["stages"][2] == {
        "name": "candidate",
        "inputs": 5,
        "results": 4,
        "drops": 1,
        "failures": 0,
        "pending": 0,
    }
    assert (account["budget"]["money_limit"], account["budget"]["token_limit"]) == ("1.50", None)


async def test_triplets_by_filter_and_page(house: Any) -> None:
    await a_run(house)
    async with house.gateway() as client:
        first = (await client.get("/api/v1/runs/run-1/triplets", params={"size": 3})).json()
        rest = (await client.get("/api/v1/runs/run-1/triplets", params={"size": 3, "page": first["next_page"]})).json()
        assert (len(first["triplets"]), len(rest["triplets"]), rest["next_page"], rest["total"]) == (3, 1, "", 4)
        benign = (await client.get("/api/v1/runs/run-1/triplets", params={"kind": "benign"})).json()
        assert [one["kind"] for one in benign["triplets"]] == ["benign"]


async def test_one_triplet_tells_everything_but_the_rejected_answer(house: Any) -> None:
    await a_run(house)
    event = triplet_accepted(seed(1)).triplet
    async with house.gateway() as client:
        answer = await client.get(f"/api/v1/runs/run-1/triplets/{event.id}")
        one = answer.json()
    assert event.rejected not in answer.text
    assert one["chosen"] == event.chosen
    assert [candidate["chosen"] for candidate in one["candidates"]] == [True, False, False]
    assert one["candidates"][2]["rejected_because"]
    assert one["candidates"][0]["citations"][0]["verdict"] == "VERIFIED"
    assert [len(verdict["criteria"]) for verdict in one["verdicts"]] == [6, 6, 6]
    assert all(criterion["met"] is True for verdict in one["verdicts"] for criterion in verdict["criteria"])


async def test_a_criterion_that_was_not_measured_is_neither_met_nor_missed(house: Any) -> None:
    await house.start_run()
    event = triplet_accepted(seed(1), disputed=True)
    criterion = event.triplet.verdicts[0].criteria[0]
    criterion.unscored.reason = 1
    criterion.unscored.detail = "two verdicts in one answer"
    await house.hear(event)
    async with house.gateway() as client:
        one = (await client.get(f"/api/v1/runs/run-1/triplets/{event.triplet.id}")).json()
    assert one["verdicts"][0]["criteria"][0]["met"] is None
    assert one["verdicts"][0]["criteria"][0]["unscored"] == "JUDGE_FAILED: two verdicts in one answer"


async def test_reading_rejected_text_is_a_deed_with_a_name(house: Any) -> None:
    await a_run(house)
    event = triplet_accepted(seed(1)).triplet
    async with house.gateway() as client:
        revealed = (await client.post(f"/api/v1/runs/run-1/records/{event.record_id}/reveal")).json()
        assert revealed["rejected"] == event.rejected
        history = (await client.get(f"/api/v1/runs/run-1/triplets/{event.id}")).json()["history"]
    assert [(access["action"], access["person"]) for access in history] == [("revealed", "local")]


async def test_a_review_is_given_and_shown(house: Any) -> None:
    await a_run(house)
    path = f"/api/v1/runs/run-1/triplets/{triplet_accepted(seed(1)).triplet.id}"
    async with house.gateway() as client:
        one = (await client.post(f"{path}/review", json={"review": "rejected", "comment": "조문이 다릅니다."})).json()
        assert (one["review"], one["reviewer"], one["comment"]) == ("rejected", "local", "조문이 다릅니다.")
        account = (await client.get("/api/v1/runs/run-1/account")).json()
        assert account["drops"] == {"NOT_MINED": 1, "REVIEW": 1}
        assert problem(await client.post(f"{path}/review", json={}), 400)["field"] == "review"
        content = problem(await client.post(f"{path}/review", json={"review": "perhaps"}), 400)
        assert (content["field"], content["value"]) == ("review", "perhaps")


async def test_drops_with_reason_and_the_evidence_on_request(house: Any) -> None:
    await house.start_run()
    await house.hear(record_dropped(seed(1), "judge", DROP_REASON_PANEL))
    async with house.gateway() as client:
        drops = (await client.get("/api/v1/runs/run-1/drops", params={"reason": "PANEL"})).json()["losses"]
        assert [(drop["reason"], drop["stage"]) for drop in drops] == [("PANEL", "judge")]
        revealed = (await client.post(f"/api/v1/runs/run-1/records/{seed(1).id}/reveal")).json()
        assert revealed["question"] == seed(1).text
        assert revealed["rejected"]
        content = problem(await client.get("/api/v1/runs/run-1/drops", params={"reason": "WHIM"}), 400)
    assert (content["field"], content["value"]) == ("reason", "WHIM")
    assert "NOT_MINED" in content["remedy"]


async def test_a_sealed_dataset_is_downloaded_as_rows_or_as_files(house: Any) -> None:
    await a_run(house)
    async with house.gateway() as client:
        early = problem(await client.get("/api/v1/runs/run-1/dataset/export"), 404)
        assert "Seal the run first" in early["remedy"]
        await house.seal()
        lines = await client.get("/api/v1/runs/run-1/dataset/export", params={"format": "jsonl"})
        files = await client.get("/api/v1/runs/run-1/dataset/export", params={"format": "parquet"})
        location = str(house.folder / "run-1")
        verified = (await client.get("/api/v1/datasets/verification", params={"location": location})).json()
    assert lines.headers["content-disposition"] == 'attachment; filename="run-1.jsonl"'
    rows = [json.loads(line) for line in lines.text.splitlines()]
    assert len(rows) == 4
    assert rows[0]["prompt"][0]["role"] == "user"
    archive = zipfile.ZipFile(io.BytesIO(files.content))
    assert archive.testzip() is None
    manifest = json.loads(archive.read("manifest.json"))
    assert [file["path"] for file in manifest["files"]] + ["manifest.json"] == archive.namelist()
    assert verified == {"digest": manifest["digest"]}
    sealed = house.folder / "run-1"
    assert archive.read("README.md") == (sealed / "README.md").read_bytes()


async def test_what_a_run_made_and_how_training_went(house: Any) -> None:
    await house.start_run()
    model = pb.Artifact(kind="model", digest="sha256:m", run_id="run-1", location="/m", inputs=["sha256:d"])
    await house.artifacts.RecordArtifact(pb.RecordArtifactRequest(artifact=model))
    points = [pb.MetricPoint(step=1, name="loss", value=0.5), pb.MetricPoint(step=2, name="loss", value=math.nan)]
    await house.artifacts.RecordMetrics(pb.RecordMetricsRequest(run_id="run-1", points=points))
    async with house.gateway() as client:
        artifacts = (await client.get("/api/v1/runs/run-1/artifacts")).json()
        metrics = (await client.get("/api/v1/runs/run-1/metrics")).json()
    assert (artifacts[0]["kind"], artifacts[0]["inputs"]) == ("model", ["sha256:d"])
    assert metrics == {"loss": [{"step": 1, "value": 0.5}, {"step": 2, "value": None}]}


async def test_lineage_both_ways(house: Any) -> None:
    await a_run(house)
    await house.seal()
    async with house.gateway() as client:
        down = (await client.get("/api/v1/lineage", params={"node": "run-1"})).json()
        up = await client.get(
            "/api/v1/lineage", params={"node": "law:개인정보 보호법 제59조", "direction": "effects", "children": 2}
        )
        content = problem(await client.get("/api/v1/lineage", params={"node": "nothing"}), 404)
    assert down["children"][0]["kind"] == "dataset"
    assert (up.json()["children"][0]["kind"], up.json()["left_out"]) == ("dataset", 2)
    assert (content["field"], content["value"]) == ("node", "nothing")


async def test_the_law_is_checked_by_the_policy_service(house: Any) -> None:
    async with house.gateway() as client:
        text = "개인정보 보호법 제59조와 개인정보 보호법 제999조를 보세요."
        report = (await client.post("/api/v1/law/check", json={"text": text, "on": "2026-11-30"})).json()
        packs = (await client.get("/api/v1/packs")).json()
        missing = problem(await client.get("/api/v1/packs/xx-XX"), 404)
        wrong = problem(await client.post("/api/v1/law/check", json={"text": text, "on": "yesterday"}), 400)
    assert [one["verdict"] for one in report["citations"]] == ["VERIFIED", "NOT_FOUND"]
    assert text[report["citations"][0]["start"] : report["citations"][0]["end"]] == report["citations"][0]["text"]
    assert (packs[0]["name"], len(packs[0]["domains"])) == ("ko-KR", 5)
    assert missing["meaning"] == "NOT_FOUND"
    assert wrong["meaning"] == "INVALID"


async def test_health_tells_which_service_is_away(house: Any) -> None:
    async with house.gateway() as client:
        assert (await client.get("/health/live")).text == "ok\n"
        assert (await client.get("/health/ready")).status_code == 200
        health = (await client.get("/api/v1/health")).json()
    assert health == {"status": "ok", "services": {"ledger": "serving", "policy": "serving"}}


async def test_a_problem_names_the_parameter_the_value_and_the_remedy(house: Any) -> None:
    async with house.gateway() as client:
        content = problem(await client.get("/api/v1/runs", params={"size": 900}), 400)
        assert (content["field"], content["value"], content["remedy"]) == ("size", "900", "Correct it in the query.")
        unknown = problem(await client.get("/api/v1/runs/none"), 404)
        assert (unknown["field"], unknown["value"]) == ("run_id", "none")
        nowhere = problem(await client.get("/api/v1/nowhere"), 404)
        assert nowhere["meaning"] == "NOT_FOUND"


async def test_a_service_that_is_away_is_not_ready_and_says_when_to_come_back(house: Any) -> None:
    async with channel("127.0.0.1:1") as nobody, house.gateway(ledger=nobody) as client:
        answer = await client.get("/api/v1/runs")
        assert problem(answer, 503)["meaning"] == "NOT_READY"
        assert int(answer.headers["retry-after"]) >= 1
        assert (await client.get("/health/ready")).status_code == 503
        health = (await client.get("/api/v1/health")).json()
        assert (health["status"], health["services"]["ledger"]) == ("degraded", "away")


async def test_the_openapi_document_describes_every_operation(house: Any) -> None:
    async with house.gateway() as client:
        document = (await client.get("/api/v1/openapi.json")).json()
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    assert len(operations) >= 18
    assert all(path.startswith("/api/v1/") for path in document["paths"])
    assert all(operation["summary"] for operation in operations)
    assert all("application/problem+json" in operation["responses"]["default"]["content"] for operation in operations)
    fields = document["components"]["schemas"]["Account"]["properties"]
    assert fields["gaps"]["description"]
