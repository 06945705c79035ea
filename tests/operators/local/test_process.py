from __future__ import annotations

import os
import subprocess
import sys
import time

from gyeol.local.process import Identity, end_groups


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
