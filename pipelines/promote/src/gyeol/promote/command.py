"""`gyeol promote`: pin a model that passed, by pull request or directly, and take it back."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer
from rich.console import Console

from gyeol.promote.errors import PromotionError, RepositoryError
from gyeol.promote.evidence import evidence
from gyeol.promote.forge import KINDS, Forge
from gyeol.promote.git import Git
from gyeol.promote.job import Target, promote, withdraw
from gyeol.promote.pin import Pin, pin
from gyeol.promote.rollback import rollback

command = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    help="Pin a model that passed, by pull request or directly. · 통과한 모델을 고정합니다.",
)

Repository = Annotated[
    str,
    typer.Option(
        envvar="PROMOTE_REPOSITORY",
        help="URL of the Git repository that the cluster follows. · 클러스터가 따르는 Git 저장소 주소",
    ),
]
Base = Annotated[
    str, typer.Option(envvar="PROMOTE_BASE", help="Branch that the cluster follows. · 클러스터가 따르는 브랜치")
]
FilePath = Annotated[
    str,
    typer.Option(envvar="PROMOTE_PATH", help="Pinned-model file; {environment} is filled in. · 모델을 고정하는 파일"),
]
Kind = Annotated[
    Literal["github", "gitlab", "gitea", "forgejo", "none"],
    typer.Option(envvar="PROMOTE_FORGE", help="Kind of forge. · Git 호스팅 종류"),
]
ApiUrl = Annotated[str, typer.Option(envvar="PROMOTE_API_URL", help="Base URL of the forge's API. · 호스팅 API 주소")]
Project = Annotated[
    str,
    typer.Option(
        envvar="PROMOTE_PROJECT", help="owner/name, or the full path on GitLab. · 소유자/이름 (GitLab은 전체 경로)"
    ),
]
Environment = Annotated[str, typer.Option(help="Environment, for example staging. · 배포 환경")]
TOKEN = "PROMOTE_TOKEN"  # noqa: S105 (a name)
"""Environment variable that holds the token for Git and the forge."""
PATH = "charts/environments/{environment}/model.yaml"


@command.command()
def run(
    environment: Environment,
    model: Annotated[Path, typer.Option(help="Model folder with its manifest. · 모델 폴더", file_okay=False)],
    verdict: Annotated[Path, typer.Option(help="verdict.json of the gate. · 게이트의 verdict.json", dir_okay=False)],
    output: Annotated[Path, typer.Option(help="Folder for manifest.json. · manifest.json을 쓸 폴더", file_okay=False)],
    repository: Repository,
    strategy: Annotated[
        Literal["PullRequest", "Direct"], typer.Option(help="How the change gets in. · 반영 방법")
    ] = "PullRequest",
    name: Annotated[
        str, typer.Option(help="Model name; empty: from the model's folder. · 모델 이름 (생략하면 폴더 이름)")
    ] = "",
    uri: Annotated[
        str,
        typer.Option(
            help="Where the cluster finds the model; empty: the folder. · 클러스터가 모델을 찾을 주소 (생략하면 폴더)"
        ),
    ] = "",
    base: Base = "main",
    path: FilePath = PATH,
    forge: Kind = "none",
    api_url: ApiUrl = "",
    project: Project = "",
    again: Annotated[
        bool, typer.Option(help="Promote a model that was rolled back. · 되돌린 모델을 다시 승격")
    ] = False,
) -> None:
    """Write the pinned model and open the pull request (or push). · 모델을 고정하고 풀 리퀘스트를 엽니다."""
    try:
        found = evidence(model, verdict)
        wanted = pin(name or model.resolve().name, uri or model.resolve().as_uri(), found)
        target = Target(repository, base, environment, path.format(environment=environment))
        with tempfile.TemporaryDirectory() as scratch:
            git = Git(Path(scratch) / "repository", os.environ.get(TOKEN, ""))
            promoted = promote(wanted, found, target, strategy, git, _forge(forge, api_url, project), again)
    except PromotionError as error:
        _refuse(error)
    manifest = {
        "reason": promoted.reason, "commit": promoted.commit, "url": promoted.url, "served": promoted.served,
        "environment": environment, "model": wanted.digest, "digest": wanted.digest,
    }  # fmt: skip
    _leave(output, manifest)


@command.command(name="withdraw")
def withdraw_request(
    environment: Environment,
    digest: Annotated[str, typer.Option(help="Digest of the model, sha256:... · 모델 다이제스트")],
    why: Annotated[str, typer.Option(help="One sentence for the pull request. · 풀 리퀘스트에 적을 한 문장")],
    repository: Repository,
    base: Base = "main",
    path: FilePath = PATH,
    forge: Kind = "github",
    api_url: ApiUrl = "",
    project: Project = "",
) -> None:
    """Close the pull request of a model whose re-check failed, and turn its status red. · 재점검에 실패한 모델의 풀 리퀘스트를 닫습니다."""
    wanted = Pin("", "", digest, "", "", "")
    target = Target(repository, base, environment, path.format(environment=environment))
    lacking = "withdraw needs a forge: name it with --forge"
    with _repository(forge, api_url, project, lacking) as (git, chosen):
        done = withdraw(wanted, target, why, git, chosen)
    sys.stdout.write(json.dumps({"event": "done", "withdrawn": done}) + "\n")


@command.command(name="rollback")
def roll_back(
    environment: Environment,
    digest: Annotated[str, typer.Option(help="Digest of the model, sha256:... · 모델 다이제스트")],
    why: Annotated[str, typer.Option(help="One sentence for the pull request. · 풀 리퀘스트에 적을 한 문장")],
    output: Annotated[Path, typer.Option(help="Folder for manifest.json. · manifest.json을 쓸 폴더", file_okay=False)],
    repository: Repository,
    base: Base = "main",
    path: FilePath = PATH,
    forge: Kind = "github",
    api_url: ApiUrl = "",
    project: Project = "",
) -> None:
    """Open a pull request that reverts a promotion, or close the one that nobody has merged yet. · 승격을 되돌리는 풀 리퀘스트를 열거나 병합 전의 풀 리퀘스트를 닫습니다."""
    wanted = Pin("", "", digest, "", "", "")
    target = Target(repository, base, environment, path.format(environment=environment))
    lacking = "rollback needs a forge: name it with --forge; without one, git revert is the way back"
    with _repository(forge, api_url, project, lacking) as (git, chosen):
        undone = rollback(wanted, target, why, git, chosen)
    manifest = {
        "reason": undone.reason,
        "commit": undone.commit,
        "url": undone.url,
        "environment": environment,
        "model": digest,
    }
    _leave(output, manifest)


@contextlib.contextmanager
def _repository(kind: str, api_url: str, project: str, lacking: str) -> Iterator[tuple[Git, Forge]]:
    """A place to work in the delivery repository, and its forge; a failure ends the program.

    Args:
      kind: Kind of forge.
      api_url: Base URL of its API.
      project: The repository there.
      lacking: What to say when no forge is named.
    """
    try:
        chosen = _forge(kind, api_url, project)
        if chosen is None:
            raise RepositoryError(lacking)
        with tempfile.TemporaryDirectory() as scratch:
            yield Git(Path(scratch) / "repository", os.environ.get(TOKEN, "")), chosen
    except PromotionError as error:
        _refuse(error)


def _leave(output: Path, manifest: Mapping[str, object]) -> None:
    """Writes the manifest and says so."""
    output.mkdir(parents=True, exist_ok=True)
    partial = output / "manifest.json.partial"
    partial.write_text(json.dumps(manifest, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    partial.replace(output / "manifest.json")
    sys.stdout.write(json.dumps({"event": "done", **manifest}) + "\n")


def _forge(kind: str, api_url: str, project: str) -> Forge | None:
    if kind == "none":
        return None
    token = os.environ.get(TOKEN, "")
    lacking = [
        option for option, value in (("--api-url", api_url), ("--project", project), (f"${TOKEN}", token)) if not value
    ]
    if lacking:
        raise RepositoryError(f"forge {kind} needs {', '.join(lacking)}")
    return KINDS[kind](api_url, project, token)


def _refuse(error: PromotionError) -> NoReturn:
    sys.stdout.write(
        json.dumps({"event": "error", "reason": error.reason, "message": str(error)}, ensure_ascii=False) + "\n"
    )
    Console(stderr=True).print(f"error: {error.reason}: {error}", markup=False)
    raise SystemExit(2 if error.final else 1)
