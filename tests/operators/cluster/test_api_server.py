"""The stand-in for the API server, judged by what a real client sees of it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import yaml

from support.kube.server import ApiServer, api_server

ROOT = Path(__file__).parents[3]
KUBECTL = ROOT / ".tools" / "bin" / "kubectl"
pytestmark = pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is not in .tools/bin: make tools")
RUN = (
    (ROOT / "tests" / "support" / "world.py").read_text(encoding="utf-8").split('DOCUMENT = """\\\n')[1].split('"""')[0]
)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[ApiServer]:
    async with api_server() as one:
        yield one


async def kubectl(server: ApiServer, folder: Path, *words: str, given: str = "", fails: bool = False) -> str:
    config = folder / "kubeconfig"
    config.write_text(server.kubeconfig())
    argv = [str(KUBECTL), "--kubeconfig", str(config), "--cache-dir", str(folder / "cache"), *words]
    done = await asyncio.to_thread(subprocess.run, argv, input=given, capture_output=True, text=True, timeout=60)
    assert (done.returncode != 0) is fails, done.stderr
    return done.stderr if fails else done.stdout


async def defined(server: ApiServer, folder: Path) -> None:
    await kubectl(server, folder, "apply", "--server-side", "-f", str(ROOT / "charts" / "crds" / "templates"))


async def test_kubectl_installs_the_definitions_creates_a_run_and_prints_its_columns(
    server: ApiServer, tmp_path: Path
) -> None:
    await defined(server, tmp_path)
    assert "created" in await kubectl(server, tmp_path, "apply", "-f", "-", given=RUN)
    assert "unchanged" in await kubectl(server, tmp_path, "apply", "-f", "-", given=RUN)
    head, row = (await kubectl(server, tmp_path, "get", "alignment")).splitlines()[:2]
    assert head.split() == ["NAME", "STATE", "REASON", "PROGRESS", "ACCEPTED", "VERDICT", "MODEL", "AGE"]
    assert row.startswith("alignmentrun.gyeol.dev/ko-test") or row.startswith("ko-test")
    assert "ko-test" in await kubectl(server, tmp_path, "get", "ar")
    assert "Method:" in await kubectl(server, tmp_path, "describe", "ar", "ko-test")


async def test_a_wrong_field_and_a_broken_rule_are_refused_with_the_words_of_the_definition(
    server: ApiServer, tmp_path: Path
) -> None:
    await defined(server, tmp_path)
    assert "use at most 40" in await kubectl(
        server, tmp_path, "apply", "-f", "-", given=RUN.replace("ko-test", "k" * 41), fails=True
    )
    assert "strict decoding error" in await kubectl(
        server, tmp_path, "apply", "-f", "-", given=RUN.replace("epochs:", "epoch: 1\n    epochs:"), fails=True
    )
    await kubectl(server, tmp_path, "apply", "-f", "-", given=RUN)
    said = await kubectl(server, tmp_path, "apply", "-f", "-", given=RUN.replace("epochs: 1", "epochs: 2"), fails=True)
    assert "create a new run under another name" in said


async def test_server_side_apply_keeps_apart_who_set_what(server: ApiServer, tmp_path: Path) -> None:
    def mapped(**data: str) -> str:
        return yaml.safe_dump(
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "namespace": "default"}, "data": data}
        )

    async def apply(manager: str, given: str, *words: str, fails: bool = False) -> str:
        return await kubectl(
            server,
            tmp_path,
            "apply",
            "--server-side",
            f"--field-manager={manager}",
            "-f",
            "-",
            *words,
            given=given,
            fails=fails,
        )

    await apply("one", mapped(a="1", b="1"))
    await apply("two", mapped(c="2"))
    assert "conflict" in await apply("two", mapped(a="2"), fails=True)
    await apply("two", mapped(a="2"), "--force-conflicts")
    assert _data(server) == {"a": "2", "b": "1"}, "what two no longer applies is gone, what one applied stays"
    await apply("one", mapped(a="2"))
    assert _data(server) == {"a": "2"}
    version = server.objects("ConfigMap")[0]["metadata"]["resourceVersion"]
    await apply("one", mapped(a="2"))
    assert server.objects("ConfigMap")[0]["metadata"]["resourceVersion"] == version, "the same again writes nothing"


async def test_entries_of_a_list_that_is_a_map_go_when_they_are_no_longer_applied(
    server: ApiServer, tmp_path: Path
) -> None:
    ports = [{"name": name, "port": number} for number, name in enumerate(("one", "two", "three"), 1)]

    async def apply(kept: list[dict[str, Any]]) -> list[str]:
        value = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "x", "namespace": "default"}, "spec": {"ports": kept}}  # fmt: skip
        await kubectl(server, tmp_path, "apply", "--server-side", "-f", "-", given=yaml.safe_dump(value))
        return [one["name"] for one in server.objects("Service")[0].get("spec", {}).get("ports", [])]

    assert await apply(ports) == ["one", "two", "three"]
    assert await apply(ports[1:]) == ["two", "three"]
    assert await apply([]) == []


def _data(server: ApiServer) -> Any:
    return server.objects("ConfigMap")[0]["data"]


async def test_what_is_owned_goes_with_its_owner(server: ApiServer, tmp_path: Path) -> None:
    await defined(server, tmp_path)
    await kubectl(server, tmp_path, "apply", "-f", "-", given=RUN)
    uid = server.objects("AlignmentRun")[0]["metadata"]["uid"]
    owner = {"apiVersion": "gyeol.dev/v1alpha1", "kind": "AlignmentRun", "name": "ko-test", "uid": uid}
    child = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "x", "namespace": "default", "ownerReferences": [owner]},
    }
    await kubectl(server, tmp_path, "apply", "-f", "-", given=yaml.safe_dump(child))
    await kubectl(server, tmp_path, "delete", "ar", "ko-test")
    assert server.objects("ConfigMap") == []


async def test_the_status_is_written_by_its_subresource_only_and_the_generation_counts_specifications(
    server: ApiServer, tmp_path: Path
) -> None:
    await defined(server, tmp_path)
    await kubectl(server, tmp_path, "apply", "-f", "-", given=RUN)
    await kubectl(server, tmp_path, "patch", "ar", "ko-test", "--type=merge", "-p", '{"status": {"state": "Training"}}')
    assert "status" not in server.objects("AlignmentRun")[0]
    await kubectl(
        server,
        tmp_path,
        "patch",
        "ar",
        "ko-test",
        "--type=merge",
        "--subresource=status",
        "-p",
        '{"status": {"state": "Training"}, "spec": {"suspend": true}}',
    )
    one = server.objects("AlignmentRun")[0]
    assert (one["status"]["state"], one["spec"]["suspend"], one["metadata"]["generation"]) == ("Training", False, 1)
    await kubectl(server, tmp_path, "patch", "ar", "ko-test", "--type=merge", "-p", '{"spec": {"suspend": true}}')
    assert server.objects("AlignmentRun")[0]["metadata"]["generation"] == 2


async def test_what_is_only_rehearsed_is_judged_and_not_kept(server: ApiServer, tmp_path: Path) -> None:
    await defined(server, tmp_path)
    for words in (["apply"], ["apply", "--server-side"], ["create"]):
        told = await kubectl(server, tmp_path, *words, "--dry-run=server", "-f", "-", given=RUN)
        assert "server dry run" in told
    refused = RUN.replace("epochs: 1", "epochs: 0")
    assert "greater than or equal to 1" in await kubectl(
        server, tmp_path, "create", "--dry-run=server", "-f", "-", given=refused, fails=True
    )
    assert server.objects("AlignmentRun") == []
    await kubectl(server, tmp_path, "create", "-f", "-", given=RUN)
    await kubectl(server, tmp_path, "delete", "ar", "ko-test", "--dry-run=server")
    assert len(server.objects("AlignmentRun")) == 1


async def test_two_who_apply_the_same_own_it_both(server: ApiServer, tmp_path: Path) -> None:
    given = yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "1"}})
    for manager in ("one", "two"):
        await kubectl(server, tmp_path, "apply", "--server-side", f"--field-manager={manager}", "-f", "-", given=given)
    (stored,) = server.objects("ConfigMap")
    assert [one["manager"] for one in stored["metadata"]["managedFields"]] == ["one", "two"]


async def test_an_object_that_is_not_the_one_asked_for_is_refused(server: ApiServer, tmp_path: Path) -> None:
    await defined(server, tmp_path)
    await kubectl(server, tmp_path, "create", "-f", "-", given=RUN)
    (stored,) = server.objects("AlignmentRun")
    path = "/apis/gyeol.dev/v1alpha1/namespaces/default/alignmentruns"
    other = "11111111-1111-1111-1111-111111111111"
    named = {"apiVersion": stored["apiVersion"], "kind": stored["kind"], "metadata": {"name": "ko-test"}}

    async def asked(method: str, where: str, value: Any, content: str = "application/json") -> tuple[int, str]:
        async with aiohttp.ClientSession() as session, session.request(
            method, f"{server.url}{path}{where}", data=json.dumps(value), headers={"Content-Type": content}
        ) as answer:  # fmt: skip
            return answer.status, (await answer.json())["message"]

    applied = "application/apply-patch+yaml"
    assert await asked("PUT", "/ko-test", {**stored, "metadata": {"name": "ko-test"}}) == (
        422,
        'AlignmentRun.gyeol.dev "ko-test" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    )
    code, said = await asked("PATCH", "/ko-else?fieldManager=x", named, applied)
    assert (code, said) == (400, "the name of the object (ko-test) does not match the name on the URL (ko-else)")
    unborn = {**named, "metadata": {"name": "ko-else", "uid": other}}
    assert (await asked("PATCH", "/ko-else?fieldManager=x", unborn, applied))[0] == 409
    assert (await asked("PATCH", "/ko-test", {"metadata": {"uid": other}}, "application/merge-patch+json"))[0] == 422
    assert (await asked("PATCH", "/ko-test", {"spec": {}}, "application/strategic-merge-patch+json"))[0] == 415
    assert (await asked("POST", "", {**named, "metadata": {}}))[1].endswith("name or generateName is required")
    assert (await asked("POST", "", {**named, "metadata": {"name": "y", "namespace": "z"}}))[0] == 400


async def test_an_object_on_its_way_out_has_a_new_generation_and_takes_no_new_finalizer(
    server: ApiServer, tmp_path: Path
) -> None:
    await defined(server, tmp_path)
    await kubectl(server, tmp_path, "create", "-f", "-", given=RUN)
    held = '{"metadata": {"finalizers": ["gyeol.dev/x"]}}'
    await kubectl(server, tmp_path, "patch", "ar", "ko-test", "--type=merge", "-p", held)
    await kubectl(server, tmp_path, "delete", "ar", "ko-test", "--wait=false")
    assert server.objects("AlignmentRun")[0]["metadata"]["generation"] == 2
    more = '{"metadata": {"finalizers": ["gyeol.dev/x", "gyeol.dev/y"]}}'
    assert "no new finalizers can be added" in await kubectl(
        server, tmp_path, "patch", "ar", "ko-test", "--type=merge", "-p", more, fails=True
    )
    await kubectl(server, tmp_path, "patch", "ar", "ko-test", "--type=merge", "-p", '{"metadata": {"finalizers": []}}')
    assert server.objects("AlignmentRun") == []
