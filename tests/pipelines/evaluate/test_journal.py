"""An interrupted evaluation goes on where it stopped."""

from __future__ import annotations

from pathlib import Path

import pytest

from gyeol.evaluate.error import ResumeError
from gyeol.evaluate.journal import Entry, Journal
from gyeol.evaluate.outcome import Scored, Unscored


def test_finished_items_are_recalled_and_infrastructure_failures_are_asked_again(tmp_path: Path) -> None:
    journal = Journal(tmp_path, {"model": "m"})
    journal.add(Entry("s", "1", "네", "stop", {"safe": Scored(1.0)}))
    journal.add(Entry("s", "2", "", "", {"safe": Unscored("InfraFailed", "timeout")}))
    journal.add(Entry("s", "3", "…", "stop", {"safe": Unscored("JudgeFailed", "no verdict")}))
    journal.close()
    with (tmp_path / "journal.jsonl").open("a") as file:
        file.write('{"suite": "s", "item_id": "4", "resp')  # killed while writing
    recalled = Journal(tmp_path, {"model": "m"})
    assert sorted(item for _, item in recalled.entries) == ["1", "3"]
    assert recalled.entries["s", "1"].outcomes == {"safe": Scored(1.0)}
    recalled.close()


def test_an_evaluation_of_another_model_is_not_continued(tmp_path: Path) -> None:
    Journal(tmp_path, {"model": "m"}).close()
    with pytest.raises(ResumeError, match="other conditions"):
        Journal(tmp_path, {"model": "n"})
