"""GitLab's REST API, version 4; its pull requests are called merge requests."""

from __future__ import annotations

from typing import Literal
from urllib.parse import quote

from gyeol.promote.forge.api import MARK, Api
from gyeol.promote.forge.port import CONTEXT, PullRequest

_STATES: dict[str, Literal["open", "merged", "closed"]] = {
    "opened": "open",
    "locked": "open",
    "merged": "merged",
    "closed": "closed",
}


class GitLab:
    """`project` is the full path, groups included; the API lies below `/api/v4`."""

    def __init__(self, api_url: str, project: str, token: str) -> None:
        self._api = Api(api_url, {"PRIVATE-TOKEN": token})
        self._project = f"/projects/{quote(project, safe='')}"

    def find(self, branch: str, base: str) -> PullRequest | None:
        found = self._api.get(
            f"{self._project}/merge_requests",
            source_branch=branch,
            target_branch=base,
            state="all",
            order_by="created_at",
            per_page=1,
        )
        return _pull_request(found[0]) if found else None

    def open(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        return _pull_request(
            self._api.post(
                f"{self._project}/merge_requests",
                source_branch=branch, target_branch=base, title=title, description=body, remove_source_branch=True,
            )
        )  # fmt: skip

    def comment(self, number: int, body: str) -> None:
        for one in self._api.get(f"{self._project}/merge_requests/{number}/notes", per_page=100):
            if MARK in one["body"]:
                self._api.put(f"{self._project}/merge_requests/{number}/notes/{one['id']}", body=f"{MARK}\n{body}")
                return
        self._api.post(f"{self._project}/merge_requests/{number}/notes", body=f"{MARK}\n{body}")

    def close(self, number: int) -> None:
        self._api.put(f"{self._project}/merge_requests/{number}", state_event="close")

    def status(self, commit: str, good: bool, description: str, url: str) -> None:
        more = {"target_url": url} if url else {}
        self._api.post(
            f"{self._project}/statuses/{commit}",
            state="success" if good else "failed",
            name=CONTEXT,
            description=description[:255],
            **more,
        )


def _pull_request(found: dict[str, object]) -> PullRequest:
    return PullRequest(int(str(found["iid"])), str(found["web_url"]), _STATES[str(found["state"])])
