"""What is read out of logs."""

from __future__ import annotations

from pathlib import Path

from gyeol.local.log import last_words, size, tail


def test_the_tail_of_a_log_is_its_last_lines_however_long_it_is(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("".join(f"{number} {'가' * 50}\n" for number in range(5000)))
    assert [line.split()[0] for line in tail(log, 3).splitlines()] == ["4997", "4998", "4999"]
    assert tail(tmp_path / "none.log") == ""


def test_the_last_words_are_those_of_the_last_start_and_not_of_an_earlier_one(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text("error: an old fault\n")
    before = size(log)
    assert last_words(log, since=before) == ""
    with log.open("a") as file:
        file.write("loading\nerror: policy 'ko-tinny' is unknown; use ko-tiny\n╰──────╯\n")
    assert last_words(log, since=before) == "policy 'ko-tinny' is unknown; use ko-tiny"


def test_a_structured_error_is_told_without_its_frames(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_text(
        '{"event": "ready"}\n{"event": "failed", "error": "the disk is full", "frames": ["f"]}\n{"event": "gone"}\n'
    )
    assert last_words(log, since=0) == "the disk is full"
