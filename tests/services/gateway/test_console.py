"""The console's pages, as a browser receives them."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from gyeol.api.failure.v1.failure_pb2 import DROP_REASON_PANEL
from gyeol.api.ledger.v1 import ledger_pb2 as pb
from support.record import life, record_dropped, seed, stage_completed, triplet_accepted

RUN = "/runs/run-1"
TRIPLET = triplet_accepted(seed(1)).triplet
STATUS = {
    "state": "AwaitingReview",
    "verdict": "Inconclusive",
    "data": {"target": 8, "strata": [{"name": "IV/G", "target": 8}]},
    "conditions": [{"type": "DataSealed", "status": "True"}, {"type": "Trained", "status": "False", "message": "멈춤"}],
}


async def a_run(house: Any) -> None:
    await house.start_run(spec='{"data":{"budget":{"money":"1"}}}', status=json.dumps(STATUS))
    await house.hear(*[event for number in range(4) for event in life(seed(number))], *life(seed(1, benign=True)))
    await house.hear(*[stage_completed(seed(9), stage) for stage in ("seed", "policy", "candidate")])
    await house.hear(record_dropped(seed(9), "judge", DROP_REASON_PANEL))
    points = [pb.MetricPoint(step=step, name="loss", value=1 / (step + 1)) for step in range(5)]
    await house.artifacts.RecordMetrics(pb.RecordMetricsRequest(run_id="run-1", points=points))


def form_token(answer: httpx.Response) -> str:
    found = re.search(r'name="form_token" value="([0-9a-f]+)"', answer.text)
    assert found, answer.text
    return found[1]


PAGES = (
    "/runs",
    RUN,
    f"{RUN}/triplets",
    f"{RUN}/triplets?kind=benign&review=pending",
    f"{RUN}/triplets/{TRIPLET.id}",
    f"{RUN}/drops",
    f"{RUN}/training",
    f"{RUN}/accesses",
    "/lineage?node=run-1",
    "/lineage?node=law:개인정보 보호법 제59조&direction=effects",
    "/law",
    "/packs",
    "/api",
)


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_every_page_speaks_the_visitors_language(house: Any, language: str) -> None:
    await a_run(house)
    words = {"ko": "실행", "en": "Runs"}
    async with house.gateway() as client:
        client.headers["Accept-Language"] = f"{language};q=0.9, fr;q=0.1"
        for path in PAGES:
            answer = await client.get(path)
            assert answer.status_code == 200, path
            assert f'<html lang="{language}">' in answer.text
            assert words[language] in answer.text
            if path != "/api":  # the API describes itself in English
                assert words["en" if language == "ko" else "ko"] not in re.sub(
                    r'(?s)<a href="/language.*?</a>', "", answer.text
                )
            assert TRIPLET.rejected not in answer.text
            assert "style=" not in answer.text, "the content security policy forbids it"
            assert not re.search(r'(?:src|href)="https?://', answer.text), "nothing may come from elsewhere"


async def test_the_language_can_be_chosen(house: Any) -> None:
    async with house.gateway() as client:
        chosen = await client.get("/language/en", params={"next": "/law"})
        assert (chosen.status_code, chosen.headers["location"]) == (303, "/law")
        assert "Law check" in (await client.get("/law")).text
        outside = await client.get("/language/ko", params={"next": "https://elsewhere.example"})
        assert outside.headers["location"] == "/"


async def test_a_run_shows_its_books(house: Any) -> None:
    await a_run(house)
    async with house.gateway() as client:
        page = (await client.get(RUN)).text
    assert "검토 기다리는 중" in page
    assert "판단 보류" in page
    assert "멈춤" in page
    assert "장부가 맞습니다" in page
    assert "심사단 불일치" in page
    assert page.count("<svg class=") == 4 + 2 + 1
    assert 'data-refresh="5"' in page


async def test_a_run_that_ended_is_not_asked_after_again(house: Any) -> None:
    await house.start_run(status='{"state": "Succeeded"}')
    async with house.gateway() as client:
        assert "data-refresh" not in (await client.get(RUN)).text
        assert "data-refresh" not in (await client.get("/runs")).text


async def test_rejected_text_appears_only_after_it_was_asked_for(house: Any) -> None:
    await a_run(house)
    path = f"{RUN}/triplets/{TRIPLET.id}"
    async with house.gateway() as client:
        page = await client.get(path)
        assert "기록하고 열람하기" in page.text
        assert (await client.post(f"{path}/reveal", data={})).status_code == 400
        revealed = await client.post(f"{path}/reveal", data={"form_token": form_token(page)})
        assert TRIPLET.rejected in revealed.text
        assert revealed.headers["cache-control"] == "no-store"
        again = (await client.get(path)).text
    assert TRIPLET.rejected not in again
    assert "거부된 답변을 열람했습니다" in again


async def test_a_reviewer_decides_on_the_page(house: Any) -> None:
    await a_run(house)
    path = f"{RUN}/triplets/{TRIPLET.id}"
    async with house.gateway() as client:
        token = form_token(await client.get(path))
        fields = {"form_token": token, "decision": "reject", "comment": "조문이 다릅니다."}
        answer = await client.post(f"{path}/review", data=fields)
        assert (answer.status_code, answer.headers["location"]) == (303, path)
        page = (await client.get(path)).text
        assert "조문이 다릅니다." in page
        assert "반려했습니다" in page
        listed = (await client.get(f"{RUN}/triplets?review=rejected")).text
        assert html.escape(TRIPLET.seed.text) in listed
        assert (await client.post(f"{path}/review", data=fields | {"decision": "burn"})).status_code == 400


async def test_a_viewer_is_offered_nothing_that_needs_a_reviewer(house: Any, tokens: Callable[..., Any]) -> None:
    await a_run(house)
    await house.seal()
    file, secrets = tokens("viewer", "reviewer")
    async with house.gateway(tokens_file=file) as client:
        for role, offered in (("viewer", False), ("reviewer", True)):
            token = form_token(await client.get("/login"))
            await client.post("/login", data={"form_token": token, "token": secrets[role], "next": "/"})
            triplet = (await client.get(f"{RUN}/triplets/{TRIPLET.id}")).text
            assert ("기록하고 열람하기" in triplet) is offered
            assert ('name="decision"' in triplet) is offered
            assert ("증거 열람" in (await client.get(f"{RUN}/drops")).text) is offered
            assert ('name="format"' in (await client.get(RUN)).text) is offered
            answer = await client.post(f"{RUN}/triplets/{TRIPLET.id}/reveal", data={"form_token": token})
            assert answer.status_code == (200 if offered else 403)
            answer = await client.post(f"{RUN}/export", data={"form_token": token, "format": "jsonl"})
            assert answer.status_code == (200 if offered else 403)


async def test_evidence_of_a_drop_can_be_read(house: Any) -> None:
    await a_run(house)
    async with house.gateway() as client:
        token = form_token(await client.get(f"{RUN}/drops"))
        page = await client.post(f"{RUN}/records/{seed(9).id}/reveal", data={"form_token": token})
    assert html.escape(seed(9).text) in page.text
    assert "(해로운 답변의 예)" in page.text


async def test_text_of_models_and_people_is_never_markup(house: Any) -> None:
    hostile = '<script>alert("질문")</script>'
    event = triplet_accepted(seed(3, text=f"{hostile} 어떻게 하나요?"))
    event.triplet.chosen = event.triplet.candidates[0].candidate.text = f"개인정보 보호법 제59조 {hostile}"
    event.triplet.verdicts[0].criteria[0].met = False
    event.triplet.verdicts[0].criteria[0].reason = hostile
    await house.start_run(status=json.dumps({"state": hostile, "progress": hostile}))
    await house.hear(event)
    async with house.gateway() as client:
        for path in ("/runs", RUN, f"{RUN}/triplets", f"{RUN}/triplets/{event.triplet.id}", "/lineage?node=run-1"):
            page = (await client.get(path)).text
            assert "<script>alert" not in page
        assert (
            '<mark class="VERIFIED">개인정보 보호법 제59조</mark>'
            in (await client.get(f"{RUN}/triplets/{event.triplet.id}")).text
        )


async def test_the_law_page_marks_what_it_found(house: Any) -> None:
    async with house.gateway() as client:
        token = form_token(await client.get("/law"))
        text = "개인정보 보호법 제59조는 있고 개인정보 보호법 제999조는 없습니다."
        page = (await client.post("/law", data={"form_token": token, "text": text, "on": "2026-11-30"})).text
    assert '<mark class="VERIFIED">개인정보 보호법 제59조</mark>' in page
    assert '<mark class="NOT_FOUND">개인정보 보호법 제999조</mark>' in page
    assert "없는 조문" in page


async def test_a_problem_is_a_page_with_a_way_back(house: Any) -> None:
    async with house.gateway() as client:
        page = await client.get("/runs/none")
    assert page.status_code == 404
    assert page.headers["content-type"].startswith("text/html")
    assert "찾을 수 없습니다" in page.text
    assert 'href="/runs"' in page.text


async def test_a_page_of_questions_leads_to_the_next_and_keeps_the_filter(house: Any) -> None:
    await house.start_run()
    await house.hear(*[triplet_accepted(seed(number)) for number in range(25)])
    async with house.gateway() as client:
        first = (await client.get(f"{RUN}/triplets?kind=harmful")).text
        following = html.unescape(re.search(r'rel="next" href="([^"]+)"', first)[1])  # type: ignore[index]
        assert "kind=harmful" in following
        second = (await client.get(following)).text
    numbers = [set(re.findall(r"사정 번호는 (\d+)", page)) for page in (first, second)]
    assert [len(found) for found in numbers] == [20, 5]
    assert not numbers[0] & numbers[1]
