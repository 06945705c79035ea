from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from gyeol.local.process import Identity, end_groups, tail


def test_a_process_is_known_by_when_it_was_created_and_not_by_its_number_alone() -> None:
    me = Identity.of(os.getpid())
    assert me.alive()
    assert not Identity(me.pid, me.created - 3600).alive()


def test_what_ignores_the_request_to_end_is_killed_after_its_grace() -> None:
    script = (
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
    )
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, start_new_session=True)
    assert child.stdout is not None
    child.stdout.readline()
    began = time.monotonic()
    end_groups([Identity.of(child.pid)], grace=0.3)
    assert child.wait(timeout=10) == -9
    assert 0.3 <= time.monotonic() - began < 5
    child.stdout.close()


def test_the_tail_of_a_log_is_its_last_lines_however_long_it_is(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("".join(f"{number} {'가' * 50}\n" for number in range(5000)))
    assert [line.split()[0] for line in tail(log, 3).splitlines()] == ["4997", "4998", "4999"]
    assert tail(tmp_path / "none.log") == ""
