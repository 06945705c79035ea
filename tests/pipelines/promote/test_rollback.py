"""The way back against a real repository over smart HTTP, and forges of three kinds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gyeol.promote.errors import RolledBackError
from gyeol.promote.evidence import Evidence
from gyeol.promote.forge import KINDS, Forge
from gyeol.promote.git import Git
from gyeol.promote.job import Promoted, Strategy, Target, promote
from gyeol.promote.pin import Pin, pin
from gyeol.promote.rollback import Undone, rollback
from support.githost import TOKEN, ForgeState, Host, forge, git, git_host

PATH = "charts/environments/staging/model.yaml"
PINNED = 'model: {name: "old", uri: "", digest: "", dataset: "", pack: "", gatePolicy: ""}\n'
DIGEST = "sha256:" + "1" * 64
FOUND = Evidence(DIGEST, "sha256:d", "sha256:p", "sha256:g", "Every criterion holds.", "# Gate: Pass\n")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with git_host(tmp_path, {PATH: PINNED, "README.md": "gitops\n"}) as serving:
        yield serving


@pytest.fixture(params=["github", "gitlab", "gitea"])
def state(request: pytest.FixtureRequest) -> Iterator[tuple[ForgeState, Forge]]:
    with forge(request.param) as one:
        yield one, KINDS[request.param](one.url, "team/gitops", TOKEN)


def wanted() -> Pin:
    return pin("ko-model", "s3://models/ko", FOUND)


def target(host: Host) -> Target:
    return Target(host.url, "main", "staging", PATH)


def promoted(host: Host, folder: Path, strategy: Strategy, api: Forge | None = None) -> Promoted:
    return promote(wanted(), FOUND, target(host), strategy, Git(folder, TOKEN), api)


def undone(host: Host, folder: Path, api: Forge) -> Undone:
    return rollback(Pin("", "", DIGEST, "", "", ""), target(host), "It over-refuses.", Git(folder / "git", TOKEN), api)


def test_what_was_merged_is_reverted_by_a_pull_request_and_not_promoted_again_by_itself(
    host: Host, state: tuple[ForgeState, Forge], tmp_path: Path
) -> None:
    _, api = state
    before = host.show(f"main:{PATH}")
    promoted(host, tmp_path / "one", "Direct")
    first = undone(host, tmp_path / "two", api)
    assert first.reason == "Opened"
    assert host.show(f"main:{PATH}") != before, "a person merges it"
    (name,) = [one for one in git(host.bare, "branch", "--format=%(refname:short)").split() if "rollback" in one]
    assert host.show(f"{name}:{PATH}") == before
    assert undone(host, tmp_path / "three", api) == Undone("AlreadyOpen", first.commit, first.url)
    git(host.bare, "update-ref", "refs/heads/main", name)
    assert undone(host, tmp_path / "four", api).reason == "NotPinned"
    with pytest.raises(RolledBackError):
        promoted(host, tmp_path / "five", "Direct")


def test_what_nobody_has_merged_is_closed(host: Host, state: tuple[ForgeState, Forge], tmp_path: Path) -> None:
    _, api = state
    promoted(host, tmp_path / "one", "PullRequest", api)
    assert undone(host, tmp_path / "two", api).reason == "Withdrawn"
    assert undone(host, tmp_path / "three", api).reason == "NotPinned"
    assert promoted(host, tmp_path / "four", "PullRequest", api).reason == "Declined"
