"""Exit statuses of the `gyeol` command. Scripts rely on them: they are documented in `gyeol --help` and do not change."""

from __future__ import annotations

from enum import IntEnum

from gyeol.chassis.errors import GyeolError, Meaning


class Exit(IntEnum):
    """Exit statuses."""

    DONE = 0
    """Done; of `gyeol run`: the gate says Pass."""
    FAILED = 1
    """Something went wrong; the same command resumes."""
    BAD_INPUT = 2
    """A file, option or name is wrong; the same command fails again."""
    GATE_FAIL = 3
    """The gate says Fail."""
    INCONCLUSIVE = 4
    """The gate says Inconclusive: the evidence does not suffice."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; the same command resumes."""


HELP = """\
Exit statuses: 0 done (run: gate Pass) · 1 failed, run it again to resume · 2 bad input · 3 gate Fail · \
4 gate Inconclusive · 130 interrupted (Ctrl-C; also the end of serve), run it again to resume. · 종료 상태: 0 완료 · 1 실패 · 2 잘못된 입력 · 3 게이트 불합격 · 4 판단 보류 · 130 중단

Environment: GYEOL_HOME the state folder · POLICY_CULTURES the folder of the culture packs · LEDGER_DATABASE_URL a PostgreSQL database \
for the ledger instead of a file in the state folder · GYEOL_CACHE a folder for weights that several state folders share."""

VERDICT = {"Pass": Exit.DONE, "Fail": Exit.GATE_FAIL, "Inconclusive": Exit.INCONCLUSIVE}


def exit_of(error: GyeolError) -> Exit:
    """The exit status of an error by its meaning."""
    bad = error.meaning in (Meaning.INVALID, Meaning.NOT_FOUND)
    return Exit.BAD_INPUT if bad else Exit.FAILED
