from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gyeol.local.errors import BusyError, InputError, NothingThereError
from gyeol.local.home import Home, write_atomically
from gyeol.local.lock import held, is_held


def made(home: Home, run_id: str, age: float) -> None:
    folder = home.run(run_id)
    folder.path.mkdir(parents=True)
    folder.specification.write_text("")
    os.utime(folder.specification, (1_000_000 - age, 1_000_000 - age))


def test_the_folder_is_named_by_the_environment_or_lies_here(tmp_path: Path) -> None:
    assert Home.found({"GYEOL_HOME": str(tmp_path)}).path == tmp_path
    assert Home.found({}).path == Path.cwd() / ".gyeol"


def test_a_working_directory_that_is_gone_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(InputError, match="set GYEOL_HOME"):
        Home.found({})
    assert Home.found({"GYEOL_HOME": "/elsewhere"}).path == Path("/elsewhere")


def test_a_run_is_found_by_id_by_name_or_by_being_the_newest(tmp_path: Path) -> None:
    home = Home(tmp_path)
    made(home, "ko-a-11111111", age=30)
    made(home, "ko-a-22222222", age=20)
    made(home, "ko-b-33333333", age=10)
    assert home.resolve(None).run_id == "ko-b-33333333"
    assert home.resolve("ko-a").run_id == "ko-a-22222222"
    assert home.resolve("ko-a-11111111").run_id == "ko-a-11111111"
    with pytest.raises(NothingThereError, match=r"no run ko-c in .*; there are ko-b-33333333"):
        home.resolve("ko-c")


def test_an_empty_folder_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(NothingThereError, match="gyeol run -f"):
        Home(tmp_path).resolve(None)


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.json"
    write_atomically(path, {"a": "결"})
    write_atomically(path, {"a": 2})
    assert json.loads(path.read_text()) == {"a": 2}
    assert [one.name for one in path.parent.iterdir()] == ["x.json"]


def test_a_second_run_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    home = Home(tmp_path)
    with held(home, "gyeol run ko-a"):
        script = (
            "from pathlib import Path; from gyeol.local.home import Home; from gyeol.local.lock import held\n"
            f"with held(Home(Path({str(tmp_path)!r})), 'other'): pass"
        )
        second = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
        assert f"gyeol run ko-a (pid {os.getpid()}) is using {tmp_path}" in second.stderr
        assert "GYEOL_HOME" in second.stderr
    assert not is_held(home)


def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path) -> None:
    home = Home(tmp_path)
    script = (
        "import time; from pathlib import Path; from gyeol.local.home import Home; from gyeol.local.lock import held\n"
        f"with held(Home(Path({str(tmp_path)!r})), 'other'): print('held', flush=True); time.sleep(600)"
    )
    other = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert other.stdout is not None
    other.stdout.readline()
    assert is_held(home)
    with pytest.raises(BusyError, match="other"), held(home, "me"):
        pass
    other.kill()
    other.wait()
    other.stdout.close()
    with held(home, "me"):
        assert is_held(home)
