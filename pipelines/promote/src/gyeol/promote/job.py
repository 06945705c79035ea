"""One promotion: from a passed verdict to one changed file in a Git repository."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from gyeol.promote.errors import RaceError, RepositoryError, RolledBackError
from gyeol.promote.evidence import Evidence
from gyeol.promote.forge import Forge
from gyeol.promote.git import Git
from gyeol.promote.pin import Pin, branch, message, pinned

Strategy = Literal["PullRequest", "Direct"]
T = TypeVar("T")
ATTEMPTS = 5


@dataclass(frozen=True)
class Target:
    """Where a model is promoted to."""

    repository: str
    """URL of the Git repository."""
    base: str
    """Branch that the cluster follows."""
    environment: str
    path: str
    """Pinned-model file inside the repository."""


@dataclass(frozen=True)
class Promoted:
    """How it ended; one of these is always true."""

    reason: Literal["Pushed", "Opened", "AlreadyOpen", "AlreadyPinned", "AlreadyMerged", "Declined"]
    commit: str
    url: str = ""

    @property
    def served(self) -> bool:
        """Whether the base branch names the model now."""
        return self.reason in ("Pushed", "AlreadyPinned", "AlreadyMerged")


def promote(
    wanted: Pin, found: Evidence, target: Target, strategy: Strategy, git: Git, forge: Forge | None, again: bool = False
) -> Promoted:
    """Carries a promotion out; asking twice changes nothing.

    `again` allows a model that was rolled back.

    Raises:
      PromotionError: It did not happen; the reason says why, and nothing is half done.
    """
    git.clone(target.repository, target.base)
    if not again and rolled_back(git.log(target.base), wanted.digest, target.environment):
        raise RolledBackError(
            f"{wanted.digest} was served in {target.environment} and rolled back; promote it again on purpose with --again"
        )
    path = git.folder / target.path
    try:
        before = path.read_text(encoding="utf-8")
    except OSError as error:
        raise RepositoryError(
            f"{target.path} is missing in {target.base}: {error.strerror}; copy charts/environments there"
        ) from error
    if pinned(before, wanted) == before:
        return Promoted("AlreadyPinned", git.head())
    if strategy == "Direct":
        return _direct(wanted, found, target, git)
    if forge is None:
        raise RepositoryError("strategy PullRequest needs a forge: name it with --forge, or use strategy Direct")
    return _pull_request(wanted, found, target, git, forge)


def withdraw(wanted: Pin, target: Target, why: str, git: Git, forge: Forge) -> bool:
    """Closes an open pull request whose evidence does not hold any more, and turns its status red; False when there is none."""
    name = branch(target.environment, wanted)
    request = forge.find(name, target.base)
    if request is None or request.state != "open":
        return False
    git.clone(target.repository, name)
    forge.status(git.head(), False, why, request.url)
    forge.comment(request.number, f"**Withdrawn · 철회** {why}")
    forge.close(request.number)
    return True


def rolled_back(log: str, digest: str, environment: str) -> bool:
    """Whether the newest commit about a model in an environment is a revert; `log` is newest first, as `Git.log` gives it."""
    reverted: set[str] = set()
    for entry in log.split("\x1e")[1:]:
        commit, _, text = entry.partition("\n")
        reverted |= set(re.findall(r"This reverts commit ([0-9a-f]{40})", text))
        about = f"Gyeol-Model: {digest}" in text and f"Gyeol-Environment: {environment}" in text
        if about and not text.startswith("Revert"):
            return commit in reverted
    return False


def _direct(wanted: Pin, found: Evidence, target: Target, git: Git) -> Promoted:
    def attempt() -> Promoted:
        git.fetch(target.base)
        git.start(target.base, f"origin/{target.base}")
        if not _write(wanted, target, git):
            return Promoted("AlreadyPinned", git.head())
        commit = git.commit(target.path, message(target.environment, wanted, found.summary))
        git.push(target.base)
        return Promoted("Pushed", commit)

    return retried(attempt)


def _pull_request(wanted: Pin, found: Evidence, target: Target, git: Git, forge: Forge) -> Promoted:
    name = branch(target.environment, wanted)
    request = forge.find(name, target.base)
    if request is not None and request.state == "merged":
        return Promoted("AlreadyMerged", git.head(), request.url)
    if request is not None and request.state == "closed":
        return Promoted("Declined", git.head(), request.url)

    def attempt() -> str:
        if git.has(name):
            git.fetch(name)
            git.start(name, f"origin/{name}")
            return git.head()
        git.fetch(target.base)
        git.start(name, f"origin/{target.base}")
        _write(wanted, target, git)
        commit = git.commit(target.path, message(target.environment, wanted, found.summary))
        git.push(name)
        return commit

    commit = retried(attempt)
    title = f"Serve {wanted.name} in {target.environment}"
    opened = request or forge.open(name, target.base, title, message(target.environment, wanted, found.summary))
    forge.comment(opened.number, found.report)
    forge.status(commit, True, f"Gate passed: {found.summary}", opened.url)
    return Promoted("AlreadyOpen" if request else "Opened", commit, opened.url)


def _write(wanted: Pin, target: Target, git: Git) -> bool:
    path = Path(git.folder / target.path)
    path.write_text(pinned(path.read_text(encoding="utf-8"), wanted), encoding="utf-8")
    return git.changed(target.path)


def retried(attempt: Callable[[], T]) -> T:
    """What an attempt gives; again when somebody pushed first."""
    for _ in range(ATTEMPTS - 1):
        try:
            return attempt()
        except RaceError:
            continue
    return attempt()
