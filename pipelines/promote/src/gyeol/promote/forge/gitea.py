"""The API that Gitea and Forgejo share."""

from __future__ import annotations

from gyeol.promote.forge.api import MARK, Api
from gyeol.promote.forge.port import CONTEXT, PullRequest

_PAGE = 50


class Gitea:
    """`project` is `owner/name`; the API lies below `/api/v1`."""

    def __init__(self, api_url: str, project: str, token: str) -> None:
        self._api = Api(api_url, {"Authorization": f"token {token}"})
        self._project = project

    def find(self, branch: str, base: str) -> PullRequest | None:
        page = 1
        while found := self._api.get(
            f"/repos/{self._project}/pulls", state="all", sort="recentupdate", limit=_PAGE, page=page
        ):
            for one in found:
                if one["head"]["ref"] == branch and one["base"]["ref"] == base:
                    return _pull_request(one)
            if len(found) < _PAGE:
                return None
            page += 1
        return None

    def open(self, branch: str, base: str, title: str, body: str) -> PullRequest:
        return _pull_request(
            self._api.post(f"/repos/{self._project}/pulls", head=branch, base=base, title=title, body=body)
        )

    def comment(self, number: int, body: str) -> None:
        for one in self._api.get(f"/repos/{self._project}/issues/{number}/comments"):
            if MARK in one["body"]:
                self._api.patch(f"/repos/{self._project}/issues/comments/{one['id']}", body=f"{MARK}\n{body}")
                return
        self._api.post(f"/repos/{self._project}/issues/{number}/comments", body=f"{MARK}\n{body}")

    def close(self, number: int) -> None:
        self._api.patch(f"/repos/{self._project}/pulls/{number}", state="closed")

    def status(self, commit: str, good: bool, description: str, url: str) -> None:
        self._api.post(
            f"/repos/{self._project}/statuses/{commit}",
            state="success" if good else "failure", context=CONTEXT, description=description[:255], target_url=url,
        )  # fmt: skip


def _pull_request(found: dict[str, object]) -> PullRequest:
    state = "merged" if found.get("merged") else "open" if found["state"] == "open" else "closed"
    return PullRequest(int(str(found["number"])), str(found["html_url"]), state)  # type: ignore[arg-type]
