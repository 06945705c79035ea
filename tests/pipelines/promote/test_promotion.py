"""Promotion against a real repository over smart HTTP, and forges of three kinds."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gyeol.promote.errors import (
    CredentialError,
    EvidenceError,
    ForgeError,
    PromotionError,
    RefusedError,
    RepositoryError,
    RolledBackError,
)
from gyeol.promote.evidence import Evidence, evidence
from gyeol.promote.forge import KINDS
from gyeol.promote.git import Git
from gyeol.promote.job import Promoted, Strategy, Target, promote, withdraw
from gyeol.promote.pin import Pin, pin
from support.githost import TOKEN, ForgeState, Host, forge, git, git_host

PATH = "charts/environments/staging/model.yaml"
PINNED = """# Written by promotion alone.
model:
  name: "old"   # the model before
  uri: ""
  digest: ""
  dataset: ""
  pack: ""
  gatePolicy: ""
"""


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with git_host(tmp_path, {PATH: PINNED, "README.md": "gitops\n"}) as serving:
        yield serving


def found(digest: str = "sha256:" + "1" * 64) -> Evidence:
    return Evidence(digest, "sha256:d", "sha256:p", "sha256:g", "Every criterion holds.", "# Gate: Pass\n")


def wanted(digest: str = "sha256:" + "1" * 64) -> Pin:
    return pin("ko-model", "s3://models/ko", found(digest))


def target(host: Host) -> Target:
    return Target(host.url, "main", "staging", PATH)


def carried_out(
    host: Host,
    folder: Path,
    strategy: Strategy = "Direct",
    digest: str = "sha256:" + "1" * 64,
    token: str = TOKEN,
    **more: Any,
) -> Promoted:
    api = more.pop("api", None)
    return promote(wanted(digest), found(digest), target(host), strategy, Git(folder, token), api, **more)


def test_a_direct_promotion_changes_one_file_and_says_what_it_rests_on(host: Host, tmp_path: Path) -> None:
    promoted = carried_out(host, tmp_path / "work")
    assert promoted.reason == "Pushed"
    assert promoted.served
    text = host.show(f"main:{PATH}")
    assert "# Written by promotion alone." in text
    assert "# the model before" in text
    assert f'digest: "sha256:{"1" * 64}"' in text
    assert git(host.bare, "diff", "--name-only", "main~1", "main").split() == [PATH]
    body = git(host.bare, "log", "-1", "--format=%B", "main")
    for trailer in (
        "Gyeol-Model: sha256:1111",
        "Gyeol-Dataset: sha256:d",
        "Gyeol-Pack: sha256:p",
        "Gyeol-Gate-Policy: sha256:g",
    ):
        assert trailer in body


def test_promoting_the_same_model_twice_makes_no_empty_commit(host: Host, tmp_path: Path) -> None:
    carried_out(host, tmp_path / "one")
    assert carried_out(host, tmp_path / "two").reason == "AlreadyPinned"
    assert host.log() == ["Serve ko-model in staging", "Begin"]


def test_the_token_stands_in_no_file_of_the_working_copy(host: Host, tmp_path: Path) -> None:
    carried_out(host, tmp_path / "work")
    files = [path for path in (tmp_path / "work").rglob("*") if path.is_file()]
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]


def test_concurrent_pushes_all_get_in_and_none_is_lost(host: Host, tmp_path: Path) -> None:
    ends: list[Promoted | PromotionError] = []

    def one(number: int) -> None:
        try:
            ends.append(carried_out(host, tmp_path / f"work{number}", digest=f"sha256:{number:064d}"))
        except PromotionError as error:
            ends.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(end).__name__ for end in ends] == ["Promoted"] * 3, ends
    assert host.log().count("Serve ko-model in staging") == 3


def test_a_revert_is_the_rollback_and_is_not_undone_by_itself(host: Host, tmp_path: Path) -> None:
    promoted = carried_out(host, tmp_path / "one")
    work = tmp_path / "owner"
    git(tmp_path, "clone", "--quiet", str(host.bare), str(work))
    git(work, "revert", "--no-edit", promoted.commit)
    git(work, "push", "--quiet", "origin", "main")
    with pytest.raises(RolledBackError, match="rolled back"):
        carried_out(host, tmp_path / "two")
    assert carried_out(host, tmp_path / "three", again=True).reason == "Pushed"
    assert carried_out(host, tmp_path / "four").reason == "AlreadyPinned"


def test_a_protected_branch_refuses_and_nothing_is_half_done(host: Host, tmp_path: Path) -> None:
    host.hook("pre-receive", 'echo "GH006: Protected branch update failed" >&2; exit 1')
    with pytest.raises(RefusedError, match="promote by pull request"):
        carried_out(host, tmp_path / "work")
    assert host.log() == ["Begin"]


def test_the_digits_of_a_commit_or_a_port_are_not_taken_for_a_status_of_the_server(host: Host, tmp_path: Path) -> None:
    host.hook("pre-receive", 'echo "GH006: Protected branch update failed for 4401e403 at :40123" >&2; exit 1')
    with pytest.raises(RefusedError):
        carried_out(host, tmp_path / "work")


def test_an_expired_token_is_told_as_such(host: Host, tmp_path: Path) -> None:
    with pytest.raises(CredentialError, match="expired"):
        carried_out(host, tmp_path / "work", token="old")


def test_a_missing_file_or_branch_is_told_with_a_remedy(host: Host, tmp_path: Path) -> None:
    elsewhere = Target(host.url, "main", "staging", "nowhere/model.yaml")
    with pytest.raises(RepositoryError, match=r"nowhere/model\.yaml is missing in main"):
        promote(wanted(), found(), elsewhere, "Direct", Git(tmp_path / "one", TOKEN), None)
    absent = Target(host.url, "release", "staging", PATH)
    with pytest.raises(RepositoryError, match="release"):
        promote(wanted(), found(), absent, "Direct", Git(tmp_path / "two", TOKEN), None)


@pytest.fixture(params=["github", "gitlab", "gitea"])
def hub(request: pytest.FixtureRequest) -> Iterator[tuple[ForgeState, Any]]:
    with forge(request.param) as state:
        yield state, KINDS[request.param](state.url, "team/gitops", TOKEN)


def test_a_pull_request_carries_the_report_and_a_status_bound_to_its_commit(
    host: Host, tmp_path: Path, hub: tuple[ForgeState, Any]
) -> None:
    state, api = hub
    opened = carried_out(host, tmp_path / "one", "PullRequest", api=api)
    assert opened.reason == "Opened"
    assert not opened.served
    assert host.log() == ["Begin"]  # the base branch waits for a person
    [request] = state.requests
    assert git(host.bare, "rev-parse", request["branch"]).strip() == opened.commit
    [status] = state.statuses
    assert status["commit"] == opened.commit
    assert status["state"] == "success"
    assert "# Gate: Pass" in state.comments[0]["body"]
    again = carried_out(host, tmp_path / "two", "PullRequest", api=api)
    assert (again.reason, again.commit) == ("AlreadyOpen", opened.commit)
    assert (len(state.requests), len(state.comments)) == (1, 1)


def test_a_pull_request_that_others_merged_or_declined_is_not_opened_again(
    host: Host, tmp_path: Path, hub: tuple[ForgeState, Any]
) -> None:
    state, api = hub
    carried_out(host, tmp_path / "one", "PullRequest", api=api)
    state.requests[0]["state"] = "merged"
    assert carried_out(host, tmp_path / "two", "PullRequest", api=api).reason == "AlreadyMerged"
    state.requests[0]["state"] = "closed"
    assert carried_out(host, tmp_path / "three", "PullRequest", api=api).reason == "Declined"
    assert len(state.requests) == 1


def test_a_failed_recheck_withdraws_the_pull_request(host: Host, tmp_path: Path, hub: tuple[ForgeState, Any]) -> None:
    state, api = hub
    opened = carried_out(host, tmp_path / "one", "PullRequest", api=api)
    assert withdraw(wanted(), target(host), "over-refusal rose", Git(tmp_path / "two", TOKEN), api)
    assert state.requests[0]["state"] == "closed"
    assert state.statuses[-1]["commit"] == opened.commit
    assert state.statuses[-1]["state"] in ("failure", "failed")
    assert "over-refusal rose" in state.comments[-1]["body"]
    assert not withdraw(wanted(), target(host), "again", Git(tmp_path / "three", TOKEN), api)


def test_an_overloaded_forge_is_asked_again_and_a_dead_one_is_told(
    host: Host, tmp_path: Path, hub: tuple[ForgeState, Any]
) -> None:
    state, api = hub
    state.fail = [503, 429]
    assert carried_out(host, tmp_path / "one", "PullRequest", api=api).reason == "Opened"
    state.fail = [503] * 20
    with pytest.raises(ForgeError, match="nothing was half done"):
        carried_out(host, tmp_path / "two", "PullRequest", digest="sha256:" + "2" * 64, api=api)


@pytest.mark.parametrize(
    ("verdict", "message"),
    [
        ({"verdict": "Fail"}, "only a Pass is promoted"),
        ({"verdict": "Inconclusive"}, "only a Pass is promoted"),
        ({}, "only a Pass is promoted"),
        ({"verdict": "Pass", "bound_to": {"model": "sha256:other"}}, "run the gate on this model"),
        ({"verdict": "Pass", "bound_to": {"model": "sha256:m", "dataset": ""}}, "not bound to a digest of dataset"),
    ],
)
def test_only_a_pass_about_exactly_this_model_is_evidence(
    tmp_path: Path, verdict: dict[str, Any], message: str
) -> None:
    (tmp_path / "manifest.json").write_text('{"digest": "sha256:m"}')
    (tmp_path / "verdict.json").write_text(json.dumps(verdict))
    with pytest.raises(EvidenceError, match=message):
        evidence(tmp_path, tmp_path / "verdict.json")
