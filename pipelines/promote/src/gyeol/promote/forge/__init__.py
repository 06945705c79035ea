"""Forges: where pull requests, comments and commit statuses live. One module per API, one shape for all."""

from __future__ import annotations

from gyeol.promote.forge.api import Api
from gyeol.promote.forge.gitea import Gitea
from gyeol.promote.forge.github import GitHub
from gyeol.promote.forge.gitlab import GitLab
from gyeol.promote.forge.port import Forge, PullRequest

KINDS: dict[str, type[GitHub] | type[GitLab] | type[Gitea]] = {
    "github": GitHub,
    "gitlab": GitLab,
    "gitea": Gitea,
    "forgejo": Gitea,
}

__all__ = ["KINDS", "Api", "Forge", "PullRequest"]
