"""What is refused before anything starts is what the jobs would refuse at the end, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gyeol.evaluate.suite import FileSource, HarnessSource, shipped
from gyeol.evaluate.wanted import wanted_suites
from gyeol.gate.error import PolicyError
from gyeol.gate.source import named_policy
from gyeol.local.shipped import complaints
from gyeol.reconcile.alignment import AlignmentRun
from support.world import aligned


def evaluated(*suites: str) -> AlignmentRun:
    return aligned(
        lambda text: text.replace("[{name: cultural-safety}, {name: over-refusal}]", f"[{', '.join(suites)}]")
    )


def gated(policy: str) -> AlignmentRun:
    return aligned(lambda text: text.replace("{name: ko-default}", f"{{name: {policy}}}"))


def test_the_examples_of_these_tests_are_refused_by_nobody() -> None:
    assert list(complaints(aligned())) == []


@pytest.mark.parametrize("policy", ["ko-default", "ko-tiny", "strict"])
def test_a_policy_is_known_here_when_the_gate_knows_it(policy: str) -> None:
    try:
        named_policy(policy)
        known = True
    except PolicyError:
        known = False
    assert (list(complaints(gated(policy))) == []) == known


def test_a_culture_that_no_pack_describes_is_refused_where_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("POLICY_CULTURES", raising=False)
    [(place, wrong)] = complaints(aligned(lambda text: text.replace("{name: ko-KR}", "{name: ko-KP}")))
    assert place == ("spec", "culture", "name")
    assert "'ko-KP' is no culture pack; did you mean 'ko-KR'?" in wrong


def test_a_policy_file_in_the_working_directory_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("strict").touch()
    assert list(complaints(gated("strict"))) == []


def test_every_suite_is_known_here_with_what_it_needs(tmp_path: Path) -> None:
    data = tmp_path / "data.json"
    data.touch()
    with_data = [f'{{name: {name}, data: "file://{data}"}}' for name in shipped()]
    taken = [one for one in with_data if not list(complaints(evaluated(one)))]
    assert len(taken) == sum(isinstance(suite.source, FileSource | HarnessSource) for suite in shipped().values())
    without = [f"{{name: {name}}}" for name, suite in shipped().items() if not isinstance(suite.source, FileSource)]
    assert list(complaints(evaluated(*without))) == []
    for accepted in (evaluated(*taken), evaluated(*without)):
        file = tmp_path / "suites.json"
        suites = accepted.spec.evaluation.suites
        file.write_text(json.dumps([one.model_dump(mode="json", exclude_defaults=True) for one in suites]))
        assert len(wanted_suites(file)) == len(suites), "the job takes what was taken here"
    needy = [one for one in shipped() if list(complaints(evaluated(f"{{name: {one}}}")))]
    assert needy == [name for name, suite in shipped().items() if isinstance(suite.source, FileSource)]


@pytest.mark.parametrize(
    ("suite", "field", "message"),
    [
        ("{name: cultural-saftey}", "name", "is no evaluation suite; did you mean 'cultural-safety'? There are "),
        ("{name: zzz}", "name", "'zzz' is no evaluation suite; There are citation, "),
        ("{name: click}", "data", "is required: click reads a public file"),
        ("{name: smoke-mcq, data: a.json}", "data", "'a.json' is not read: smoke-mcq takes no data"),
        ('{name: click, data: "file:///none/a.json"}', "data", "'file:///none/a.json' does not exist"),
    ],
)
def test_a_complaint_names_the_field_the_value_and_the_remedy(suite: str, field: str, message: str) -> None:
    [(where, what)] = complaints(evaluated("{name: over-refusal}", suite))
    assert where == ("spec", "evaluation", "suites", 1, field)
    assert message in what


def test_data_of_the_hub_is_not_looked_for_here() -> None:
    assert list(complaints(evaluated('{name: click, data: "hf:owner/name"}'))) == []
