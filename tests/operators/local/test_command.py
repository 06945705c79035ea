"""The command as a person meets it: a process with arguments, output and an exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gyeol.local.__main__ import app
from support.world import DOCUMENT


@dataclass(frozen=True)
class Ended:
    returncode: int
    stdout: str
    stderr: str


def gyeol(*arguments: str, home: Path, **env: str) -> Ended:
    """Runs the command within this process."""
    told = {"GYEOL_HOME": str(home), "COLUMNS": "200", **env}
    result = CliRunner().invoke(app, list(arguments), env=told)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


def test_the_module_runs_as_a_program(tmp_path: Path) -> None:
    env = {**os.environ, "GYEOL_HOME": str(tmp_path)}
    ended = subprocess.run(
        [sys.executable, "-m", "gyeol.local", "status"], env=env, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "euc-kr"])
def test_a_terminal_that_cannot_show_a_letter_still_shows_the_rest(tmp_path: Path, encoding: str) -> None:
    def shown(*command: str) -> bytes:
        ended = subprocess.run(
            [sys.executable, "-m", "gyeol.local", *command],
            env={**os.environ, "GYEOL_HOME": str(tmp_path), "PYTHONIOENCODING": encoding},
            capture_output=True,
            check=False,
        )
        assert (ended.returncode, b"Traceback" in ended.stderr) == (0, False)
        return ended.stdout

    _kept(tmp_path, '{"reason": "이유 – …"}'.encode())
    assert b"demo-1" in shown("status")
    assert json.loads(shown("status", "--json"))["status"]["reason"] == "이유 – …"


def test_help_lists_every_command_and_the_exit_statuses(tmp_path: Path) -> None:
    shown = gyeol("--help", home=tmp_path).stdout
    for name in (
        "run",
        "up",
        "down",
        "status",
        "logs",
        "report",
        "serve",
        "chat",
        "export",
        "trace",
        "doctor",
        "version",
    ):
        assert f"\n  {name} " in shown
    assert "3 gate Fail" in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('benignShare: "0.4"', "benignShare: 0.4"), "run.yaml:12: spec.data.benignShare: 0.4 is a number"),
        (("strata: L1", "strata: L1, minimum: 3"), "spec.data.target.minimum: is not a field"),
        (("endpointsRef: {name: builtin}", "endpointsRef: {name: nowhere}"), "nowhere needs a models file"),
        (
            ("{name: ko-default}", "{name: ko-defualt}"),
            "run.yaml:23: spec.gate.policyRef.name: 'ko-defualt' is no gate policy; did you mean 'ko-default'? There are",
        ),
    ],
)
def test_a_bad_file_is_refused_at_once_with_status_2(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    file = tmp_path / "run.yaml"
    file.write_text(DOCUMENT.replace(*change))
    ended = gyeol("run", "-f", str(file), home=tmp_path / "home")
    assert ended.returncode == 2
    assert message in ended.stderr
    assert not (tmp_path / "home" / "up.json").exists(), "nothing was started"


def test_a_missing_file_is_refused_with_status_2(tmp_path: Path) -> None:
    ended = gyeol("run", "-f", "none.yaml", home=tmp_path)
    assert ended.returncode == 2
    assert "there is no file none.yaml; an example is" in ended.stderr


def test_programs_get_the_error_as_json(tmp_path: Path) -> None:
    ended = gyeol("run", "-f", "none.yaml", "--json", home=tmp_path)
    assert json.loads(ended.stdout)["exit"] == 2


@pytest.mark.parametrize("command", [("status",), ("report",), ("export",), ("chat", "-m", "x"), ("trace",)])
def test_commands_about_a_run_say_how_to_make_one_when_there_is_none(tmp_path: Path, command: tuple[str, ...]) -> None:
    ended = gyeol(*command, home=tmp_path)
    assert ended.returncode == 2
    assert "gyeol run -f examples/ko-quickstart.yaml" in ended.stderr


@pytest.mark.parametrize("command", [("run", "-f", "run.yaml"), ("up",), ("run", "-f", "run.yaml", "--json")])
def test_a_state_folder_that_cannot_be_one_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.yaml").write_text(DOCUMENT)
    Path("occupied").touch()
    for home in ("occupied", "occupied/below", "x" * 300):
        ended = gyeol(*command, home=tmp_path / home)
        assert ended.returncode == 2
        assert str(tmp_path / home)[:200] in ended.stderr
        assert "GYEOL_HOME" in ended.stderr


def test_the_doctor_finds_a_state_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "occupied").touch()
    found = json.loads(gyeol("doctor", "--json", home=tmp_path / "occupied" / "below").stdout)
    assert [one["remedy"] for one in found if "state folder" in one["what"]] == ["set GYEOL_HOME to a folder of yours"]


@pytest.mark.parametrize("content", [b"", b"\0\0\0", b"\xff\xfe", b"[1]", b'{"state": "Gath'])
def test_a_status_that_a_power_cut_left_half_written_is_none(tmp_path: Path, content: bytes) -> None:
    assert gyeol("status", "--json", home=_kept(tmp_path, content)).returncode == 0


def test_a_status_of_another_hand_is_refused_by_its_field(tmp_path: Path) -> None:
    ended = gyeol("status", home=_kept(tmp_path, b'{"state": "Dancing"}'))
    assert ended.returncode == 2
    assert "status.json: state: " in ended.stderr
    assert "delete it" in ended.stderr


def _kept(home: Path, status: bytes) -> Path:
    folder = home / "runs" / "demo-1"
    folder.mkdir(parents=True)
    (folder / "run.yaml").write_text(DOCUMENT)
    (folder / "status.json").write_bytes(status)
    return home


def test_a_model_in_a_folder_that_is_not_there_is_refused_by_its_path(tmp_path: Path) -> None:
    ended = gyeol("chat", "./none", "-m", "x", home=tmp_path)
    assert ended.returncode == 2
    assert "there is no folder ./none" in ended.stderr


def test_down_without_anything_up_is_no_error(tmp_path: Path) -> None:
    ended = gyeol("down", "--json", home=tmp_path)
    assert (ended.returncode, json.loads(ended.stdout)) == (0, {"ended": 0})


def test_the_doctor_names_what_is_there_and_the_remedy_for_what_is_not(tmp_path: Path) -> None:
    found = json.loads(gyeol("doctor", "--json", home=tmp_path).stdout)
    assert {one["what"] for one in found if one["state"] == "ok"} >= {"python", "nats-server"}
    file = tmp_path / "run.yaml"
    file.write_text(DOCUMENT.replace("epochs: 1", "epochs: 0"))
    ended = gyeol("doctor", "-f", str(file), home=tmp_path)
    assert ended.returncode == 1
    assert "spec.training.epochs: 0 is below 1" in ended.stdout
    file.write_text(DOCUMENT.replace("{name: ko-default}", "{name: strict}"))
    found = json.loads(gyeol("doctor", "-f", str(file), "--json", home=tmp_path).stdout)
    assert any("'strict' is no gate policy; There are ko-default" in one["said"] for one in found)


def test_the_doctor_finds_a_missing_pack(tmp_path: Path) -> None:
    ended = gyeol("doctor", "--json", home=tmp_path, POLICY_CULTURES=str(tmp_path))
    pack = next(one for one in json.loads(ended.stdout) if "culture packs" in one["what"])
    assert (pack["state"], ended.returncode) == ("missing", 1)
    assert "POLICY_CULTURES" in pack["remedy"]


def test_an_endpoint_that_is_not_there_is_told_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    entry = '{name: writer-a, baseUrl: "http://127.0.0.1:9/v1", model: m}'
    (tmp_path / "models" / "vendors.yaml").write_text(f"models: [{entry}]")
    file = tmp_path / "run.yaml"
    file.write_text(
        DOCUMENT.replace("{name: builtin}", "{name: vendors}").replace("[statute-first,", "[writer-a, statute-first,")
    )
    ended = gyeol("run", "-f", str(file), home=tmp_path / "home")
    assert ended.returncode == 1
    assert "writer-a at http://127.0.0.1:9/v1 cannot be reached" in ended.stderr
    assert not (tmp_path / "home" / "up.json").exists()
