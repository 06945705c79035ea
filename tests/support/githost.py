"""A bare Git repository over smart HTTP with a token, and small forges beside it.

Git is real (`git http-backend`); a forge is an HTTP server that keeps pull requests, comments and statuses in memory
in the shape of GitHub's, GitLab's or Gitea's API.
"""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "good-token"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None: ...

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        whole = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def answer(self, status: int, content: bytes, headers: list[tuple[str, str]] | None = None) -> None:
        self.send_response(status)
        for name, value in headers or []:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def _serving(handler: type[_Handler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def git(folder: Path, *arguments: str) -> str:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    for who in ("AUTHOR", "COMMITTER"):
        env |= {f"GIT_{who}_NAME": "owner", f"GIT_{who}_EMAIL": "owner@localhost"}
    return subprocess.run(["git", *arguments], cwd=folder, env=env, capture_output=True, text=True, check=True).stdout


@dataclass
class Host:
    """A Git host with one repository."""

    bare: Path
    url: str

    def hook(self, name: str, script: str) -> None:
        path = self.bare / "hooks" / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def show(self, what: str) -> str:
        return git(self.bare, "show", what)

    def log(self, branch: str = "main") -> list[str]:
        return git(self.bare, "log", "--format=%s", branch).splitlines()


@contextmanager
def git_host(folder: Path, files: dict[str, str]) -> Iterator[Host]:
    """Serves a repository whose branch `main` holds `files`."""
    bare, work = folder / "host" / "repo.git", folder / "seed"
    bare.mkdir(parents=True)
    git(bare, "init", "--quiet", "--bare", "--initial-branch=main", ".")
    git(bare, "config", "http.receivepack", "true")
    work.mkdir()
    git(work, "init", "--quiet", "--initial-branch=main", ".")
    for name, text in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text, encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "Begin")
    git(work, "push", "--quiet", str(bare), "main")
    expected = "Basic " + base64.b64encode(f"gyeol:{TOKEN}".encode()).decode()

    class Backend(_Handler):
        def do(self) -> None:
            data = self.body() if self.command == "POST" else b""
            if self.headers.get("Authorization") != expected:
                self.answer(401, b"", [("WWW-Authenticate", 'Basic realm="git"')])
                return
            url = urlsplit(self.path)
            env = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(bare.parent),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": unquote(url.path),
                "QUERY_STRING": url.query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(data)),
                "REMOTE_USER": "gyeol",
                "REMOTE_ADDR": "127.0.0.1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            if encoding := self.headers.get("Content-Encoding"):
                env["HTTP_CONTENT_ENCODING"] = encoding
            done = subprocess.run(["git", "http-backend"], input=data, env=env, capture_output=True, check=False)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            lines = [line.decode().partition(": ") for line in head.split(b"\r\n")]
            status = next((int(value.split()[0]) for name, _, value in lines if name.lower() == "status"), 200)
            self.answer(status, content, [(name, value) for name, _, value in lines if name.lower() != "status"])

        do_GET = do_POST = do  # noqa: N815

    with _serving(Backend) as address:
        yield Host(bare, f"{address}/repo.git")


@dataclass
class ForgeState:
    """What a forge remembers."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    statuses: list[dict[str, Any]] = field(default_factory=list)
    fail: list[int] = field(default_factory=list)
    """Status codes to answer with before anything works."""


@contextmanager
def forge(kind: str) -> Iterator[ForgeState]:
    """A forge in the shape of `github`, `gitlab` or `gitea`."""
    state = ForgeState()

    class Api(_Handler):
        def do(self) -> None:
            body = json.loads(self.body() or b"{}") if self.command != "GET" else {}
            if state.fail:
                self.answer(state.fail.pop(0), b"{}", [("Retry-After", "0")])
                return
            sent = self.headers.get("Authorization", "") + self.headers.get("PRIVATE-TOKEN", "")
            if TOKEN not in sent:
                self.answer(401, b"{}")
                return
            url = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(url.query).items()}
            found = _route(kind, state, self.command, url.path, query, body)
            self.answer(404 if found is None else 200, json.dumps(found).encode())

        do_GET = do_POST = do_PATCH = do_PUT = do  # noqa: N815

    with _serving(Api) as address:
        state.url = address
        yield state


def _route(kind: str, state: ForgeState, method: str, path: str, query: dict[str, str], body: dict[str, Any]) -> Any:
    if re.search(r"/(pulls|merge_requests)$", path):
        if method == "GET":
            return [_shown(kind, one) for one in reversed(state.requests) if _asked(kind, one, query)]
        one = {
            "number": len(state.requests) + 1,
            "branch": body.get("head") or body.get("source_branch"),
            "base": body.get("base") or body.get("target_branch"),
            "title": body["title"],
            "state": "open",
        }
        state.requests.append(one)
        return _shown(kind, one)
    if match := re.search(r"/(?:pulls|merge_requests)/(\d+)$", path):
        one = state.requests[int(match.group(1)) - 1]
        one["state"] = "closed"
        return _shown(kind, one)
    if match := re.search(r"/(?:issues|merge_requests)/(\d+)/(?:comments|notes)$", path):
        number = int(match.group(1))
        if method == "GET":
            return [one for one in state.comments if one["number"] == number]
        state.comments.append({"id": len(state.comments), "number": number, "body": body["body"]})
        return state.comments[-1]
    if match := re.search(r"/(?:comments|notes)/(\d+)$", path):
        state.comments[int(match.group(1))]["body"] = body["body"]
        return state.comments[int(match.group(1))]
    if match := re.search(r"/statuses/([0-9a-f]{40})$", path):
        state.statuses.append({"commit": match.group(1), **body})
        return {}
    return None


def _asked(kind: str, one: dict[str, Any], query: dict[str, str]) -> bool:
    wanted = {"github": query.get("head", ":").partition(":")[2], "gitlab": query.get("source_branch", "")}.get(
        kind, ""
    )
    return not wanted or one["branch"] == wanted


def _shown(kind: str, one: dict[str, Any]) -> dict[str, Any]:
    url = f"http://forge/{one['number']}"
    if kind == "gitlab":
        states = {"open": "opened", "closed": "closed", "merged": "merged"}
        return {"iid": one["number"], "web_url": url, "state": states[one["state"]]}
    shown = {"number": one["number"], "html_url": url, "state": "open" if one["state"] == "open" else "closed"}
    if kind == "github":
        return shown | {"merged_at": "2026-11-30T00:00:00Z" if one["state"] == "merged" else None}
    return shown | {"merged": one["state"] == "merged", "head": {"ref": one["branch"]}, "base": {"ref": one["base"]}}
