"""GitHub's REST API, version 2022-11-28."""

from __future__ import annotations

from gyeol.promote.forge.api import MARK, Api
from gyeol.promote.forge.port import CONTEXT, PullRequest


class GitHub:
    """`project` is `owner/name`."""

    def __init__(self, api_url: str, project: str, token: str) -> None:
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        }
        self._api = Api(api_url, headers)
        self._project = project
        self._owner = project.split("/")[0]

    def find(self, branch: str, base: str) -> PullRequest | None:
        found = self._api.get(
            f"/repos/{self._project}/pulls", head=f"{self._owner}:{branch}", base=base, state="all", per_page=1
        )
        return _pull_request(found[0]) if found else None

    def open(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        return _pull_request(
            self._api.post(f"/repos/{self._project}/pulls", head=branch, base=base, title=title, body=body)
        )

    def comment(self, number: int, body: str) -> None:
        for one in self._api.get(f"/repos/{self._project}/issues/{number}/comments", per_page=100):
            if MARK in one["body"]:
                self._api.patch(f"/repos/{self._project}/issues/comments/{one['id']}", body=f"{MARK}\n{body}")
                return
        self._api.post(f"/repos/{self._project}/issues/{number}/comments", body=f"{MARK}\n{body}")

    def close(self, number: int) -> None:
        self._api.patch(f"/repos/{self._project}/pulls/{number}", state="closed")

    def status(self, commit: str, good: bool, description: str, url: str) -> None:
        more = {"target_url": url} if url else {}
        self._api.post(
            f"/repos/{self._project}/statuses/{commit}",
            state="success" if good else "failure", context=CONTEXT, description=description[:140], **more,
        )  # fmt: skip


def _pull_request(found: dict[str, object]) -> PullRequest:
    merged = bool(found.get("merged_at"))
    return PullRequest(
        int(str(found["number"])),
        str(found["html_url"]),
        "merged" if merged else "open" if found["state"] == "open" else "closed",
    )
