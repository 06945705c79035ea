"""The way back: a pull request that reverts the commit which pinned a model.

`git revert` writes the commit, so that what is undone is exactly what was done, and a promotion later knows that it was undone.
A pull request that nobody has merged yet is closed instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from gyeol.promote.forge import Forge
from gyeol.promote.git import Git
from gyeol.promote.job import Target, retried, withdraw
from gyeol.promote.pin import Pin, branch


@dataclass(frozen=True)
class Undone:
    """How it ended; asking twice changes nothing."""

    reason: Literal["Withdrawn", "Opened", "AlreadyOpen", "AlreadyMerged", "Declined", "NotPinned"]
    commit: str
    url: str = ""


def rollback(wanted: Pin, target: Target, why: str, git: Git, forge: Forge) -> Undone:
    """Proposes that a model is no longer served.

    Args:
      wanted: The model; only its digest is used.
      target: The file that pins it.
      why: A sentence for the pull request.
      git: An empty working copy.
      forge: Where pull requests are.

    Raises:
      PromotionError: It did not happen; the reason says why, and nothing is half done.
    """
    if withdraw(wanted, target, why, Git(git.folder.with_name("proposed"), git.token), forge):
        return Undone("Withdrawn", "")
    git.clone(target.repository, target.base)
    commit = pinning(git.log(target.base), wanted.digest, target.environment)
    if not commit:
        return Undone("NotPinned", git.head())
    name = f"{branch(target.environment, wanted)}-rollback-{commit[:8]}"
    request = forge.find(name, target.base)
    if request is not None and request.state != "open":
        return Undone("AlreadyMerged" if request.state == "merged" else "Declined", git.head(), request.url)

    def attempt() -> str:
        if git.has(name):
            git.fetch(name)
            return git.head(f"origin/{name}")
        git.fetch(target.base)
        git.start(name, f"origin/{target.base}")
        made = git.revert(commit)
        git.push(name)
        return made

    made = retried(attempt)
    opened = request or forge.open(name, target.base, f"Take {wanted.digest[:19]} out of {target.environment}", why)
    return Undone("AlreadyOpen" if request else "Opened", made, opened.url)


def pinning(log: str, digest: str, environment: str) -> str:
    """The newest commit that pins a model in an environment; empty when it was reverted. `log` is as `Git.log` gives it."""
    reverted: set[str] = set()
    for entry in log.split("\x1e")[1:]:
        commit, _, text = entry.partition("\n")
        undone = re.findall(r"This reverts commit ([0-9a-f]{40})", text)
        reverted |= set(undone)
        about = f"Gyeol-Model: {digest}" in text and f"Gyeol-Environment: {environment}" in text
        if about and not undone:
            return "" if commit in reverted else commit
    return ""
