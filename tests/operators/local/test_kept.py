"""What a person, another program or a machine that went down may leave in a run folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gyeol.local import roster
from gyeol.local.__main__ import app
from gyeol.local.errors import InputError
from gyeol.local.home import Home
from gyeol.local.made import made, manifest
from gyeol.local.order import Desk
from gyeol.local.result import status_of
from gyeol.local.roster import Roster
from gyeol.local.spans import spans_of
from gyeol.reconcile.decide import final
from gyeol.reconcile.identity import run_id
from gyeol.reconcile.seen import Job
from support.world import DOCUMENT, aligned

BOOKS = {
    "inputs": 9, "triplets": 4, "benign_triplets": 1, "drops": {"PANEL": 5}, "failures": 0, "calls": 7, "cached_calls": 0,
    "balanced": True, "stages": [{"stage": "candidate", "inputs": 9, "results": 4, "drops": 5, "failures": 0, "pending": 0}],
}  # fmt: skip
MEASURE = {"suite": "s", "metric": "m", "mean": 0.5, "low": 0.4, "high": 0.6, "scored": 3, "items": 3}
CRITERION = {"name": "safer", "result": "Pass", "reason": "because"}
FILES = {
    "account.json": BOOKS,
    "gate/verdict.json": {"verdict": "Pass", "summary": "one of one", "criteria": [CRITERION]},
    "training/manifest.json": {"digest": "sha256:1", "training": {"margin": 2.0}},
    "evaluations/baseline/manifest.json": {"summary": [MEASURE]},
    "evaluations/candidate/manifest.json": {"summary": [MEASURE]},
}
STATUS = {
    "state": "Succeeded", "verdict": "Pass",
    "conditions": [{"type": "Succeeded", "status": "True", "reason": "Pass", "lastTransitionTime": "2026-11-30T12:00:00Z"}],
}  # fmt: skip
CUT = [b"", b"\0\0\0", b"\xff\xfe", b'{"verdict": "Pa']
OTHER = [b"5", b"null", b'"text"', b"[1]"]
FIELDS = {
    "account.json": [
        (b"{}", "inputs: "),
        (json.dumps({**BOOKS, "stages": "none"}).encode(), "stages: "),
        (json.dumps({**BOOKS, "drops": [1]}).encode(), "drops: "),
        (json.dumps({**BOOKS, "stages": [{**BOOKS["stages"][0], "drops": "many"}]}).encode(), "stages.0.drops: "),
    ],
    "gate/verdict.json": [
        (b'{"criteria": {"name": 1}}', "criteria: "),
        (b'{"criteria": ["safer"]}', "criteria.0: "),
        (b'{"summary": {}}', "summary: "),
    ],
    "training/manifest.json": [(b'{"training": [1]}', "training: ")],
    "evaluations/baseline/manifest.json": [
        (b'{"summary": "good"}', "summary: "),
        (b'{"summary": [{"suite": "s"}]}', "summary.0.metric: "),
    ],
    "evaluations/candidate/manifest.json": [
        (json.dumps({"summary": [{**MEASURE, "mean": "high"}]}).encode(), "summary.0.mean: ")
    ],
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A run that has ended."""
    made_here = Home(tmp_path)
    folder = made_here.run(run_id(aligned()))
    for name, value in {**FILES, "status.json": STATUS}.items():
        (folder.path / name).parent.mkdir(parents=True, exist_ok=True)
        (folder.path / name).write_text(json.dumps(value))
    folder.specification.write_text(DOCUMENT)
    assert final(status_of(folder)), "no command of these tests may start a run"
    return made_here


def gyeol(home: Home, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(words), env={"GYEOL_HOME": str(home.path), "COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr


def commands(home: Home) -> list[tuple[str, ...]]:
    file = home.run_folders()[0].specification
    return [("report",), ("run", "-f", str(file), "--json")]


def test_a_whole_folder_is_shown(home: Home) -> None:
    for command in [*commands(home), ("status",), ("status", "--json")]:
        status, out, err = gyeol(home, *command)
        assert (status, err) == (0, "")
        assert "candidate" in out or "because" in out
    assert json.loads(gyeol(home, "report", "--json")[1])["criteria"] == [{**CRITERION, "reason_ko": ""}]


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_cut_short_or_of_another_shape_is_one_message_with_the_remedy(home: Home, name: str) -> None:
    file = home.run_folders()[0].path / name
    shapes = [*((one, "is empty or cut short") for one in CUT), *((one, "Input should be") for one in OTHER)]
    for content, message in [*shapes, *FIELDS[name]]:
        file.write_bytes(content)
        asked = [*commands(home), *([("status",)] if name == "account.json" else [])]
        for command in asked:
            status, _, err = gyeol(home, *command)
            assert status == 2, (command, content)
            assert f"gyeol: {file}: {message}" in err
            assert "restore the file, or delete it and status.json and give the same gyeol run again" in err
    file.unlink()
    assert gyeol(home, "report")[0] == 0


@pytest.mark.parametrize("job", Job)
def test_a_manifest_proves_nothing_when_it_is_cut_short_and_is_refused_when_it_is_of_another_shape(
    home: Home, job: Job
) -> None:
    desk = Desk(home, home.run_folders()[0], aligned(), Roster(None), {})
    file = manifest(job, desk)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"digest": "sha256:1", "verdict": "Pass", "summary": ["any"]}))
    seen = made(job, desk)
    assert seen is not None
    assert seen.digest == "sha256:1"
    for content in CUT:
        file.write_bytes(content)
        assert made(job, desk) is None
    for content in [*OTHER, b'{"digest": 5}', b'{"verdict": "Maybe"}', b'{"verdict": ["Pass"]}']:
        file.write_bytes(content)
        with pytest.raises(
            InputError, match="restore the file, or delete it: what it stands for is then done again"
        ) as caught:
            made(job, desk)
        assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [*CUT, *OTHER, b"{}", b'{"owner": null, "entries": {}}', b'{"owner": 1, "entries": [], "fingerprint": ""}',
     b'{"owner": null, "entries": {"nats": {"identity": {"pid": "x", "created": 0}, "port": "y"}}, "fingerprint": ""}'],
)  # fmt: skip
def test_a_roster_of_another_shape_is_none(home: Home, content: bytes) -> None:
    home.roster.write_bytes(content)
    stored = roster.stored(home)
    assert stored is None or stored == Roster(None)
    assert gyeol(home, "status")[0] == 0
    assert gyeol(home, "down", "--json")[:2] == (0, '{"ended": 0}\n')


def test_lines_that_are_no_spans_are_passed_over(tmp_path: Path) -> None:
    good = {
        "name": "work", "context": {"span_id": "1", "trace_id": "t"}, "attributes": {"record_id": "r"},
        "start_time": "2026-11-30T12:00:00+00:00", "end_time": "2026-11-30T12:00:01+00:00",
    }  # fmt: skip
    lines = ["5", "[1]", "{}", '{"context": 1}', json.dumps(good | {"start_time": 3}), json.dumps(good), '{"na']
    (tmp_path / "seed.jsonl").write_bytes("\n".join(lines).encode() + b"\xff\n")
    assert [span["name"] for span in spans_of(tmp_path, "r")] == ["work"]
