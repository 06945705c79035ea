"""Whole runs with the real broker and data services; the jobs and the model server are stand-ins (see support/overlay)."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from gyeol.local.process import leftovers
from gyeol.local.roster import stored
from support.machine import CULTURES, Machine, until

COUNTS = ("seeds", "answered", "drops", "failures", "accepted_harmful", "accepted_benign")


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path)
    yield made
    made.clear()


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    """A machine on which `gyeol up` was given: runs take its services over and leave them up."""
    made = Machine(tmp_path_factory.mktemp("busy"))
    status, out, err = made.run("up")
    assert status == 0, err
    assert "http://127.0.0.1:" in out
    yield made
    known = stored(made.home)
    assert known is not None
    assert known.alive() == dict.fromkeys(known.entries, True)
    assert made.ask("down") == (0, {"ended": 7})
    assert leftovers(made.home.path) == []
    made.clear()


def test_killing_services_and_broker_changes_no_count_and_a_second_run_starts_nothing(busy: Machine) -> None:
    calm, shaken = busy.describe("ko-calm"), busy.describe("ko-shaken")
    status, out, err = busy.run("run", "-f", str(calm), "--json")
    assert status == 0, err
    undisturbed = json.loads(out.splitlines()[-1])
    assert undisturbed["verdict"] == "Pass"

    process = busy.start("run", "-f", str(shaken), "--json")
    for name in ("gyeol.candidate", "nats-server", "gyeol.judge", "gyeol.ledger"):
        until(lambda name=name: busy.state("ko-shaken") == "Gathering" and busy.pids(name))
        os.kill(busy.pids(name)[0], signal.SIGKILL)
        time.sleep(0.7)
    status, out, err = busy.end(process)
    assert status == 0, err
    assert all(json.loads(line)["event"] for line in out.splitlines()), (
        "what the bus says of the dead broker is no answer"
    )
    assert "ended and is started again" in out
    disturbed = json.loads(out.splitlines()[-1])
    assert {key: disturbed[key] for key in COUNTS} == {key: undisturbed[key] for key in COUNTS}
    account = json.loads(busy.folder(shaken).account.read_text())
    assert account["balanced"]
    assert account["inputs"] == account["triplets"] + sum(account["drops"].values()) + account["failures"]

    began = time.monotonic()
    status, again = busy.ask("run", "-f", str(shaken))
    assert (status, {key: again[key] for key in COUNTS}) == (0, {key: disturbed[key] for key in COUNTS})
    assert again["calls"] == disturbed["calls"]
    assert time.monotonic() - began < 30


def test_talking_to_a_built_in_model_ends_no_service_that_is_up(busy: Machine) -> None:
    before = busy.pids("gyeol.")
    status, answer = busy.ask("chat", "builtin:tiny-ko", "-m", "안녕하세요")
    assert (status, answer["answer"][:1]) == (0, "네")
    assert busy.pids("gyeol.") == before


def test_a_run_is_interrupted_resumed_and_ends_with_the_verdict_as_its_status(busy: Machine) -> None:
    file = busy.describe("ko-stopped")
    process = busy.start("run", "-f", str(file))
    until(lambda: busy.state("ko-stopped") == "Evaluating")
    process.send_signal(signal.SIGINT)
    status, out, _ = busy.end(process)
    assert status == 130
    assert "the same command goes on where it stopped" in out
    assert not busy.pids("gyeol.predictor")
    assert len(leftovers(busy.home.path)) == 7

    busy.env["STAND_IN_GATE"] = "Fail"
    status, out, _ = busy.run("run", "-f", str(file), "--json")
    del busy.env["STAND_IN_GATE"]
    result = json.loads(out.splitlines()[-1])
    assert (status, result["verdict"], result["why"]) == (3, "Fail", "one of one")
    assert result["comparisons"][0]["before"]["mean"] == 0.2
    assert busy.ask("run", "-f", str(file))[0] == 3


def test_an_unreadable_model_stops_the_run_with_the_remedy_and_the_run_goes_on_after_it_is_mended(
    busy: Machine,
) -> None:
    file = busy.describe("ko-broken", ("builtin:tiny-ko", "file:///models/broken"))
    busy.env["STAND_IN_WEIGHTS"] = "unreadable"
    status, _, err = busy.run("run", "-f", str(file))
    del busy.env["STAND_IN_WEIGHTS"]
    assert status == 2
    assert "model.safetensors is cut short; fetch it again" in err
    process = busy.start("run", "-f", str(file))
    until(lambda: busy.state("ko-broken") in ("Gathering", "Evaluating"))

    status, refused = busy.ask("run", "-f", str(busy.describe("ko-second")))
    assert status == 1
    assert "gyeol run ko-broken-" in refused["message"]
    assert busy.ask("down")[0] == 1
    process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    process.send_signal(signal.SIGTERM)
    assert busy.end(process, 30)[0] == 130
    until(lambda: len(leftovers(busy.home.path)) == 7, 30)


def test_a_run_goes_on_once_its_pack_is_mended_leaves_no_process_and_its_lineage_and_export_hold_together(
    machine: Machine,
) -> None:
    file = machine.describe("ko-whole")
    cultures = machine.path / "cultures"
    shutil.copytree(CULTURES, cultures)
    broken = cultures / "ko-KR" / "policies" / "B.yaml"
    broken.write_text(broken.read_text() + "\nhow: [\n")
    machine.env["POLICY_CULTURES"] = str(cultures)
    status, out, err = machine.run("run", "-f", str(file), "--trace")
    assert (status, "Traceback" in err) == (2, False)
    assert re.search(rf"{broken}:\d+: .*\nMend it, then give the same command again", err)
    assert leftovers(machine.home.path) == []

    shutil.copyfile(CULTURES / "ko-KR" / "policies" / "B.yaml", broken)
    status, out, err = machine.run("run", "-f", str(file), "--trace")
    assert status == 0, err
    assert "accepted triplets" in out
    assert leftovers(machine.home.path) == []

    status, seen = machine.ask("status", "ko-whole")
    assert (status, seen["status"]["state"], seen["account"]["balanced"], seen["active"]) == (
        0,
        "Succeeded",
        True,
        False,
    )
    folder = machine.home.resolve(seen["run"])
    model = folder.read(folder.training / "manifest.json")["digest"]
    status, tree = machine.ask("trace", model)
    assert status == 0, tree
    assert {child["kind"] for child in tree["children"]} == {"dataset", "model"}
    dataset = next(child for child in tree["children"] if child["kind"] == "dataset")
    seed = next(node for child in dataset["children"] for node in child.get("children", []) if node["kind"] == "seed")
    status, spans = machine.ask("trace", "--spans", seed["id"])
    assert {span["service"] for span in spans} >= {"gyeol-seed", "gyeol-policy", "gyeol-candidate", "gyeol-judge"}

    status, exported = machine.ask("export", "-o", str(machine.path / "export"), "--format", "jsonl")
    assert (status, exported["rows"]) == (0, seen["status"]["dataset"]["rows"])
    assert len((machine.path / "export" / "train.jsonl").read_text().splitlines()) == exported["rows"]
    status, answer = machine.ask("chat", "-m", "안녕하세요")
    assert (status, answer["model"], answer["answer"][:1]) == (0, "ko-whole", "네")
    talk = machine.start("chat")
    until(lambda: machine.pids("gyeol.predictor"))
    talk.send_signal(signal.SIGTERM)
    assert machine.end(talk, 60)[0] == 130
    assert leftovers(machine.home.path) == []

    (machine.path / "sitecustomize.py").write_text(
        "import os, sys\n'gyeol.ledger' in sys.orig_argv and os._exit(137)\n"
    )
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("PYTHONPATH", str(machine.path))
        status, unknown = machine.ask("export", "-o", str(machine.path / "other"))
    assert (status, "could not be verified" in unknown["message"]) == (1, True), "a look that failed is no damage"

    shard = next(folder.dataset.glob("data/*.parquet"))
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(content)
    for command in (("trace", model), ("export", "-o", str(machine.path / "other"))):
        status, refused = machine.ask(*command)
        assert status == 1
        assert shard.name in refused["message"]

    process = machine.start("run", "-f", str(machine.describe("ko-whole", ("epochs: 1", "epochs: 2"))), "--json")
    assert process.stdout is not None
    assert "this is a new run" in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert machine.end(process)[0] == 130
