"""Git, through its own program.

Libraries that speak the protocol themselves do not tell when a server's hook refuses a push; `git push --porcelain` does.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gyeol.promote.errors import CredentialError, RaceError, RefusedError, RepositoryError

_HELPER = '!f() { test "$1" = get && echo "username=$GYEOL_GIT_USER" && echo "password=$GYEOL_GIT_TOKEN"; }; f'
_TIMEOUT_SECONDS = 120


@dataclass(frozen=True)
class Git:
    """A working copy.

    The token is handed to git by a credential helper that reads the environment: it stands in no URL, file or argument.
    """

    folder: Path
    token: str = field(default="", repr=False)
    user: str = "gyeol"

    def clone(self, url: str, branch: str) -> None:
        """Clones one branch.

        Raises:
          CredentialError, RepositoryError: As git says.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        self._run("init", "--quiet", f"--initial-branch={branch}", ".")
        self._run("remote", "add", "origin", url)
        self.fetch(branch)
        self._run("reset", "--quiet", "--hard", f"origin/{branch}")

    def fetch(self, branch: str) -> None:
        self._run("fetch", "--quiet", "origin", f"+refs/heads/{branch}:refs/remotes/origin/{branch}")

    def has(self, branch: str) -> bool:
        """Whether the remote has the branch."""
        return bool(self._run("ls-remote", "--heads", "origin", branch).strip())

    def start(self, branch: str, at: str) -> None:
        """Begins a branch at a commit, whatever stood there locally."""
        self._run("checkout", "--quiet", "-B", branch, at)

    def commit(self, path: str, message: str) -> str:
        """Commits one file and returns the commit's id."""
        self._run("add", "--", path)
        self._run("commit", "--quiet", "--message", message, "--", path)
        return self.head()

    def revert(self, commit: str) -> str:
        """Commits the opposite of a commit and returns the new commit's id.

        Raises:
          RepositoryError: What it changed was changed again since.
        """
        self._run("revert", "--no-edit", commit)
        return self.head()

    def head(self, of: str = "HEAD") -> str:
        return self._run("rev-parse", of).strip()

    def changed(self, path: str) -> bool:
        return bool(self._run("status", "--porcelain", "--", path).strip())

    def log(self, branch: str) -> str:
        """Messages of all commits, newest first, each after a record separator."""
        return self._run("log", "--format=%x1e%H%n%B", f"origin/{branch}")

    def push(self, branch: str) -> None:
        """Pushes, never by force.

        Raises:
          RaceError: Somebody pushed first.
          RefusedError: A rule or a hook of the server says no.
          CredentialError: The token is not good enough.
        """
        self._run("push", "--porcelain", "origin", f"HEAD:refs/heads/{branch}")

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", "-c", "credential.helper=", "-c", f"credential.helper={_HELPER}", *arguments],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise _error(arguments[0], done.stdout + done.stderr)
        return done.stdout

    def _environment(self) -> Mapping[str, str]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name in ("PATH", "SSL_CERT_FILE", "GIT_SSL_CAINFO", "TMPDIR")
        }
        return kept | {
            "HOME": str(self.folder),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GYEOL_GIT_USER": self.user,
            "GYEOL_GIT_TOKEN": self.token,
            "GIT_AUTHOR_NAME": "gyeol-promote",
            "GIT_AUTHOR_EMAIL": "gyeol-promote@localhost",
            "GIT_COMMITTER_NAME": "gyeol-promote",
            "GIT_COMMITTER_EMAIL": "gyeol-promote@localhost",
            "LC_ALL": "C",
        }


def _error(what: str, said: str) -> CredentialError | RaceError | RefusedError | RepositoryError:
    last = " / ".join(line.strip() for line in said.splitlines() if line.strip())[-400:]
    lower = said.lower()
    # Not the bare numbers: an id of a commit or a port holds them just as well.
    if re.search(r"authentication failed|(error:|http) 40[13]\b|could not read username|permission denied", lower):
        return CredentialError(f"git {what}: the token is wrong, has expired or may not do this: {last}")
    if what == "push" and any(
        mark in lower
        for mark in ("fetch first", "non-fast-forward", "failed to lock", "cannot lock ref", "incorrect old value")
    ):
        return RaceError(f"somebody pushed first: {last}")
    if what == "push" and any(
        mark in lower for mark in ("protected branch", "hook declined", "remote rejected", "pre-receive", "gh006")
    ):
        return RefusedError(f"the server refuses the push: {last}; promote by pull request, or let this user push")
    return RepositoryError(f"git {what}: {last}")
