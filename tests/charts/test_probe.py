"""`helm test` runs a command of the operator's image; here its function asks real servers."""

from __future__ import annotations

import pytest
from aiohttp import web
from typer.testing import CliRunner

from gyeol.chassis.rpc import Server
from gyeol.cluster import probe
from gyeol.cluster.__main__ import app
from support.helm import Helm, Manifest, one


def pod(world: list[Manifest]) -> Manifest:
    container: Manifest = one(world, "Pod", "gyeol-probe")["spec"]["containers"][0]
    return container


def test_the_probe_asks_every_service_and_the_console(world: list[Manifest]) -> None:
    deployed = {
        item["spec"]["template"]["spec"]["containers"][0]["name"] for item in world if item["kind"] == "Deployment"
    }
    asked = {argument.partition("=")[0] for argument in pod(world)["args"]}
    assert asked == {*deployed, "--page"}
    assert one(world, "Pod", "gyeol-probe")["metadata"]["annotations"]["helm.sh/hook"] == "test"


def test_the_probe_is_a_command_that_exists(tool: Helm) -> None:
    command = pod(tool.world("default"))["command"]
    assert command[:3] == ["python", "-m", "gyeol.cluster"]
    done = CliRunner().invoke(app, [*command[3:], "--help"])
    assert done.exit_code == 0, done.output


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "SECONDS", 1.0)


@pytest.mark.usefixtures("quick")
async def test_the_probe_tells_well_from_not_well() -> None:
    well, unwell = Server("127.0.0.1", 0, []), Server("127.0.0.1", 0, [])
    runner = web.AppRunner(web.Application())
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        addresses = {"well": f"127.0.0.1:{await well.start()}", "unwell": f"127.0.0.1:{await unwell.start()}"}
        await unwell.serving(False)
        found = await probe.answers({**addresses, "away": "127.0.0.1:1"}, {"page": f"http://127.0.0.1:{port}/"})
    finally:
        await well.stop()
        await unwell.stop()
        await runner.cleanup()
    assert found["well"] == ""
    assert "NOT_SERVING" in found["unwell"]
    assert "DEADLINE_EXCEEDED" in found["away"] or "UNAVAILABLE" in found["away"]
    assert "answers 404" in found["page"]
