from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from aiohttp import web

from gyeol.chassis.chat import Endpoint
from gyeol.chassis.errors import InvalidError
from gyeol.local.endpoint import endpoints_of, refusals, troubles
from gyeol.local.errors import InputError
from gyeol.local.home import Home
from support.openai_stub import Garbage, Hang, Status, openai_stub
from support.world import aligned

MODELS = """\
models:
- {name: writer-a, baseUrl: "http://127.0.0.1:9/v1", model: a}
- {name: judge-a, baseUrl: "http://127.0.0.1:9/v1", model: b, price: {inputPerMillion: "0.15", outputPerMillion: "0.6", currency: USD}}
"""


def vendors(text: str) -> str:
    return (
        text.replace("endpointsRef: {name: builtin}", "endpointsRef: {name: vendors}")
        .replace("writers: [statute-first, procedure-first, person-first]", "writers: [writer-a, statute-first]")
        .replace("judges: [safety, grounding, register]", "judges: [judge-a, grounding]")
    )


def test_built_in_providers_need_no_file(tmp_path: Path) -> None:
    assert endpoints_of(aligned(), Home(tmp_path), [tmp_path]) == {}


def test_the_models_file_is_copied_to_where_services_look(tmp_path: Path) -> None:
    (tmp_path / "vendors.yaml").write_text(MODELS)
    home = Home(tmp_path / "home")
    found = endpoints_of(aligned(vendors), home, [tmp_path])
    assert set(found) == {"writer-a", "judge-a"}
    price = found["judge-a"].price
    assert price is not None
    assert price.input_per_million == Decimal("0.15")
    assert (home.models / "vendors.yaml").read_text() == MODELS


def test_a_missing_file_and_a_missing_name_are_told_before_anything_starts(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    with pytest.raises(InputError, match=r"vendors needs a models file; write one at .*vendors\.yaml"):
        endpoints_of(aligned(vendors), home, [tmp_path])
    (tmp_path / "vendors.yaml").write_text(MODELS.replace("judge-a", "judge-b"))
    with pytest.raises(InputError, match="does not define judge-a; it defines writer-a, judge-b"):
        endpoints_of(aligned(vendors), home, [tmp_path])


def test_a_model_with_a_role_is_used_although_the_run_does_not_name_it(tmp_path: Path) -> None:
    filler = '- {name: filler-a, baseUrl: "http://127.0.0.1:9/v1", model: c, roles: [filler]}\n'
    (tmp_path / "vendors.yaml").write_text(MODELS + filler)
    assert set(endpoints_of(aligned(vendors), Home(tmp_path / "home"), [tmp_path])) == {
        "writer-a",
        "judge-a",
        "filler-a",
    }
    (tmp_path / "vendors.yaml").write_text(MODELS + filler.replace("[filler]", "[fillr]"))
    with pytest.raises(InputError, match="vendors gives the roles fillr; use filler or plausibility"):
        endpoints_of(aligned(vendors), Home(tmp_path / "home"), [tmp_path])


def test_a_faulty_file_is_named_with_its_field_and_does_not_reach_the_services(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    (tmp_path / "vendors.yaml").write_text(MODELS)
    endpoints_of(aligned(vendors), home, [tmp_path])
    (tmp_path / "vendors.yaml").write_text(MODELS.replace("baseUrl", "baseURL"))
    with pytest.raises(InvalidError, match="baseURL") as caught:
        endpoints_of(aligned(vendors), home, [tmp_path])
    assert str(tmp_path / "vendors.yaml") in str(caught.value)
    assert (home.models / "vendors.yaml").read_text() == MODELS


async def test_an_endpoint_that_answers_has_no_trouble() -> None:
    async with openai_stub() as stub:
        assert await troubles([Endpoint("a", stub.url, "m")]) == []


async def test_nobody_there_a_wrong_key_and_a_broken_server_are_told_apart() -> None:
    async def refuse(request: web.Request) -> web.Response:
        return web.Response(status=401 if "Authorization" in request.headers else 503)

    app = web.Application()
    app.router.add_get("/v1/models", refuse)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        found = await troubles(
            [
                Endpoint("nobody", "http://127.0.0.1:9/v1", "m"),
                Endpoint("locked", url, "m", api_key_env="WRITER_KEY", api_key="secret"),
                Endpoint("broken", url, "m"),
            ]
        )
    finally:
        await runner.cleanup()
    assert "nobody at http://127.0.0.1:9/v1 cannot be reached" in found[0]
    assert "start it, or correct baseUrl" in found[0]
    assert f"locked at {url} refuses the key in WRITER_KEY (HTTP 401)" in found[1]
    assert "answers HTTP 503" in found[2]
    assert not any("secret" in one for one in found)


async def test_a_model_that_lists_itself_and_answers_nobody_is_told_by_what_it_answers() -> None:
    async with openai_stub() as stub:
        stub.answer("locked", Status(401))
        stub.answer("unpaid", Status(402))
        stub.answer("gone", Status(404))
        stub.answer("page", Garbage())
        stub.answer("busy", Status(429))
        stub.answer("down", Status(503))
        names = ("locked", "unpaid", "gone", "page", "busy", "down", "fine")
        endpoints = [Endpoint(name, stub.url, name, api_key_env="WRITER_KEY", api_key="k") for name in names]
        assert await troubles(endpoints) == []
        found = await refusals(endpoints)
    assert [one.lasting for one in found] == [True, True, True, True, False, False]
    assert all(f"endpoint {name} " in one.why for name, one in zip(names, found, strict=False))
    assert "correct the key in environment variable WRITER_KEY" in found[0].why
    assert "check its baseUrl" in found[3].why


async def test_a_slow_model_is_not_taken_for_one_that_refuses() -> None:
    async with openai_stub() as stub:
        stub.answer("slow", Hang())
        found = await refusals([Endpoint("slow", stub.url, "slow", timeout_seconds=0.1)])
    assert [one.lasting for one in found] == [False]
