"""Everything the console says exists in both languages, and everything that exists is said."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import gyeol.gateway.console.text as module
from gyeol.api.failure.v1.failure_pb2 import DropReason
from gyeol.gateway.auth.principal import Role
from gyeol.gateway.console.text import Text, catalogue, language_of
from gyeol.gateway.problem import TABLE
from gyeol.ledger.domain.record import AFTER, STAGES
from gyeol.reconcile.condition import ConditionType
from gyeol.reconcile.status import State

TEMPLATES = sorted((Path(module.__file__).parent / "templates").glob("*.html"))
WORDS = {
    "state", "condition", "status", "verdict", "stage", "reason", "kind", "review", "action", "law_verdict", "institution_verdict",
    "criterion", "role", "artifact", "fact", "title",
}  # fmt: skip
"""Sections whose keys are words of the system."""


def test_every_sentence_that_a_template_says_exists_and_none_is_left_over() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    said = set(re.findall(r"\bt\('([a-z]+\.[a-z_]+)'", source))
    said |= {
        f"{section}.{key}" for section in re.findall(r"\bt\('([a-z]+)\.' ~", source) for key in catalogue()[section]
    }
    known = {f"{section}.{key}" for section, entries in catalogue().items() for key in entries if section not in WORDS}
    assert said - known == set()
    assert known - said == set()


def test_words_of_the_system_have_names_in_both_languages() -> None:
    reasons = {name.removeprefix("DROP_REASON_") for name in DropReason.keys()[1:]}
    assert reasons <= set(catalogue()["reason"])
    assert {meaning.value for meaning in TABLE} <= set(catalogue()["reason"])
    assert {meaning.value for meaning in TABLE} == set(catalogue()["title"])
    assert {*STAGES, *AFTER} <= set(catalogue()["stage"])
    assert {role.word for role in Role} == set(catalogue()["role"])
    assert set(State.__args__) == set(catalogue()["state"])
    assert {kind.value for kind in ConditionType} == set(catalogue()["condition"])


def test_sentences_fill_the_same_blanks_in_both_languages_and_are_normalised() -> None:
    for section, entries in catalogue().items():
        for key, (ko, en) in entries.items():
            blanks = [sorted(re.findall(r"{(\w+)}", said)) for said in (ko, en)]
            assert blanks[0] == blanks[1], f"{section}.{key}"
            assert ko.strip() == ko
            assert unicodedata.normalize("NFC", ko) == ko


def test_a_word_that_is_new_to_the_console_stands_for_itself() -> None:
    assert Text("ko").word("state", "Dreaming") == "Dreaming"
    assert Text("en").word("state", "Training") == "Training"


def test_a_visitor_reads_what_they_chose_then_what_the_browser_asks_for() -> None:
    assert language_of("en", "ko") == "en"
    assert language_of("", "en-US,en;q=0.9,ko;q=0.8") == "en"
    assert language_of("", "fr, ko-KR;q=0.5") == "ko"
    assert language_of("", "") == language_of("", "fr") == "ko"
