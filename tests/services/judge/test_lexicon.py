from __future__ import annotations

import re

from gyeol.judge.domain.panel import CRITERIA
from gyeol.judge.lexicon import criteria, cues, lexicon, panel_criteria, table, wordings

FILES = ("stance", "planted", "query", "roots")


def test_every_pattern_compiles() -> None:
    assert all(cues(name).by_name for name in FILES)
    assert wordings()
    assert lexicon() is lexicon()


def test_every_pattern_of_a_family_can_match_something_without_spaces() -> None:
    for name in FILES:
        for family, patterns in table(name).items():
            if family != "macros":
                assert not [p for p in patterns.get("ko", []) if re.search(r"(?<!\\) ", p)], (name, family)


def test_no_pattern_matches_the_empty_text() -> None:
    for name in FILES:
        for cue in cues(name).by_name.values():
            assert cue.ko is None or cue.ko.search("") is None, cue.name
            assert cue.en is None or cue.en.search("") is None, cue.name


def test_every_fault_has_a_remedy() -> None:
    assert all(wording.remedy for wording in wordings())


def test_six_criteria_in_both_languages() -> None:
    assert tuple(panel_criteria()) == CRITERIA
    assert {criterion.judge for criterion in criteria()} == {"panel", "safety", "grounding", "register"}
