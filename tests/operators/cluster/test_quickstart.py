"""The file of the local quickstart, applied to a cluster by kubectl."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from gyeol.cluster.kind import ALIGNMENT_RUN
from support.kube.actor import ok

ROOT = Path(__file__).parents[3]
KUBECTL = ROOT / ".tools" / "bin" / "kubectl"
FILE = ROOT / "examples" / "ko-quickstart.yaml"


@pytest.mark.skipif(not KUBECTL.exists(), reason="kubectl is not in .tools/bin: make tools")
async def test_the_same_file_as_make_run_walks_through_all_phases_and_describe_tells_a_person_why(
    stage_set: Any, tmp_path: Path
) -> None:
    async with stage_set() as (_, one), one.operator():

        async def kubectl(*words: str) -> str:
            argv = [str(KUBECTL), "--kubeconfig", str(one.kubeconfig), "--namespace", one.namespace]
            argv += ["--cache-dir", str(tmp_path / "cache"), *words]
            done = await asyncio.to_thread(subprocess.run, argv, capture_output=True, text=True, timeout=240)
            assert done.returncode == 0, done.stderr
            return done.stdout

        letting: list[bool] = []
        one.stage.answers["preflight"] = lambda *_: (
            ok("preflight", summary="612 pairs, none is cut") if letting else None
        )
        assert "created" in await kubectl("apply", "-f", str(FILE))
        assert "unchanged" in await kubectl("apply", "-f", str(FILE))
        name = yaml.safe_load(FILE.read_text(encoding="utf-8"))["metadata"]["name"]
        await one.until(ALIGNMENT_RUN, name, lambda run: (run.get("status") or {}).get("state") == "Checking")
        head, row = (await kubectl("get", "alignment")).splitlines()[:2]
        assert head.split() == ["NAME", "STATE", "REASON", "PROGRESS", "ACCEPTED", "VERDICT", "MODEL", "AGE"]
        assert row.split()[:2] == [f"alignmentrun.gyeol.dev/{name}", "Checking"]
        letting.append(True)
        await kubectl("wait", "--for=condition=Succeeded", "--timeout=240s", f"alignmentrun/{name}")
        row = (await kubectl("get", "alignmentruns")).splitlines()[1]
        assert row.split()[:2] == [name, "Succeeded"]
        assert "Pass" in row
        told = await kubectl("describe", "alignmentrun", name)
        for words in ("train as PyTorchJob", "612 pairs, none is cut", "triplets", "the candidate passed the gate"):
            assert words in told
        assert "unchanged" in await kubectl("apply", "-f", str(FILE))
        await kubectl("delete", "-f", str(FILE), "--timeout=120s")
