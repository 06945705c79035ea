"""The public mirror of Korean statutes: a Git repository with one Markdown file a law and one commit an amendment."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import yaml

from gyeol.policy.domain import history
from gyeol.policy.domain.history import Version
from gyeol.policy.domain.law import DELETED, Law, LawIndex, name_key
from gyeol.policy.errors import LawMissingError, MirrorInvalidError
from gyeol.policy.store import index

ROOT: Final = "kr"

_HEADING: Final = re.compile(r"^##### 제(\d+)(?:조((?:의\d+)*)|((?:의\d+)+)조)(?:\s*\((.*)\))?\s*(.*)$", re.MULTILINE)
_ADDENDA: Final = re.compile(r"^## 부칙", re.MULTILINE)
_CHANGE: Final = re.compile(r"\(([^()]+)\)\s*$")
_DELETED: Final = re.compile(r"\s*삭제\b")
_RECORD, _FIELD = "\x1e", "\x1f"


@dataclass(frozen=True)
class _Revision:
    """A file as one commit left it."""

    blob: str
    subject: str


def build(checkout: Path, folder: Path, *, history_of: frozenset[str] | None = None) -> LawIndex:
    """Makes a law index in `folder` from a checkout; the same commit gives the same bytes.

    Args:
      checkout: A clone of the mirror with its history.
      folder: Where the index is written.
      history_of: Ids of the laws whose earlier versions are kept; None: of all acts.

    Raises:
      MirrorInvalidError: `checkout` is no clone of the mirror, or a file in it has no front matter.
    """
    laws: list[Law] = []
    articles: dict[str, index.Spans] = {}
    for versions in _laws(checkout, history_of):
        laws.append(history.law(versions))
        if laws[-1].act:
            articles[laws[-1].id] = history.spans(versions)
    if not laws:
        raise MirrorInvalidError(f"{checkout} holds no laws: it has no Markdown files below {ROOT}/")
    index.write(folder, laws, articles, as_of=_git(checkout, "log", "-1", "--format=%cs").strip())
    return index.read(folder)[0]


def article_text(checkout: Path, law: str, article: str, on: str) -> str:
    """Returns the text of an article as it was in force on an ISO day.

    Raises:
      LawMissingError: The mirror has no such law, or the law no such article on that day.
    """
    folder = f"{ROOT}/{name_key(law)}"
    revisions = {
        path: found
        for path, found in _revisions(checkout).items()
        if name_key(str(Path(path).parent)) == name_key(folder)
    }
    candidates: list[tuple[Version, str]] = []
    with _Blobs(checkout) as blobs:
        for path, found in revisions.items():
            texts = [
                (_version(blobs.text(revision.blob), revision.subject, path), revision.blob)
                for revision in reversed(found)
            ]
            acts = [(version, blob) for version, blob in texts if name_key(version.name) == name_key(law)]
            current = history.in_force([version for version, _ in acts], on)
            candidates += [(version, blob) for version, blob in acts if version is current]
        if not candidates:
            raise LawMissingError(f"the mirror has no text of {law} in force on {on}: check the title and the date")
        _, blob = max(candidates, key=lambda candidate: candidate[0].promulgated)
        text = _body(blobs.text(blob))
    headings = list(_HEADING.finditer(text))
    for position, heading in enumerate(headings):
        if _number(heading) == article:
            end = headings[position + 1].start() if position + 1 < len(headings) else len(text)
            return re.split(r"^#{1,4} ", text[heading.start() : end], maxsplit=1, flags=re.MULTILINE)[0].strip()
    raise LawMissingError(f"{law} has no {article} on {on}: check the number")


def _laws(checkout: Path, history_of: frozenset[str] | None) -> Iterator[Sequence[Version]]:
    """Yields the versions of each law in the order of their promulgation."""
    by_law: dict[str, list[Version]] = {}
    with _Blobs(checkout) as blobs:
        for path, revisions in sorted(_revisions(checkout).items()):
            newest = _version(blobs.text(revisions[0].blob), revisions[0].subject, path)
            act = newest.kind in {"법률", "헌법"}
            kept = revisions if act and (history_of is None or newest.law_id in history_of) else revisions[:1]
            earlier = [_version(blobs.text(revision.blob), revision.subject, path) for revision in kept[1:]]
            by_law.setdefault(newest.law_id, []).extend([*reversed(earlier), newest])
    for versions in by_law.values():
        yield sorted(versions, key=lambda version: version.promulgated)


def _revisions(checkout: Path) -> dict[str, list[_Revision]]:
    """Returns the revisions of every file that still exists, the newest first."""
    present = set(_git(checkout, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", ROOT).split("\0"))
    log = _git(
        checkout, "log", "--raw", "--no-renames", "--no-abbrev", "-z", f"--format={_RECORD}%s{_FIELD}", "--", ROOT
    )
    found: dict[str, list[_Revision]] = {}
    for record in log.split(_RECORD)[1:]:
        subject, _, changes = record.partition(_FIELD)
        fields = changes.strip("\0\n").split("\0")
        for description, path in zip(fields[::2], fields[1::2], strict=False):
            blob = description.strip().split(" ")[3] if description.strip().startswith(":") else ""
            if path in present and path.endswith(".md") and blob.strip("0"):
                found.setdefault(path, []).append(_Revision(blob, subject))
    return found


def _version(text: str, subject: str, path: str) -> Version:
    _, fence, rest = text.partition("---\n")
    front, closed, _ = rest.partition("\n---")
    if not fence or not closed:
        raise MirrorInvalidError(f"{path}: has no front matter between --- lines: is this the statute mirror?")
    fields: dict[str, Any] = yaml.load(front, yaml.BaseLoader)  # noqa: S506 - builds nothing but text
    missing = [name for name in ("제목", "법령ID", "법령구분", "공포일자", "시행일자") if not fields.get(name)]
    if missing:
        raise MirrorInvalidError(f"{path}: the front matter lacks {', '.join(missing)}: is this the statute mirror?")
    change = _CHANGE.search(subject)
    return Version(
        law_id=str(fields["법령ID"]).zfill(6),
        kind=fields["법령구분"],
        name=fields["제목"],
        promulgated=fields["공포일자"],
        effective=fields["시행일자"],
        change=change[1] if change else "",
        articles=dict(_articles(_body(text))),
    )


def _body(text: str) -> str:
    return _ADDENDA.split(text, maxsplit=1)[0]


def _articles(body: str) -> Iterator[tuple[str, str]]:
    for heading in _HEADING.finditer(body):
        gone = heading[4] is None and _DELETED.match(heading[5] or body[heading.end() :])
        yield _number(heading), DELETED if gone else (heading[4] or "")


def _number(heading: re.Match[str]) -> str:
    return f"제{heading[1]}조{heading[2] or heading[3] or ''}"


class _Blobs:
    """Reads files out of the repository through one `git cat-file`."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> _Blobs:
        command = ["git", "-C", str(self._checkout), "cat-file", "--batch"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        return self

    def __exit__(self, *exception: object) -> None:
        if self._process:
            self._pipe(self._process.stdin).close()
            self._process.wait()
            self._pipe(self._process.stdout).close()

    def text(self, blob: str) -> str:
        if self._process is None:
            raise MirrorInvalidError("the repository is closed: read it within `with`")
        requests, answers = self._pipe(self._process.stdin), self._pipe(self._process.stdout)
        requests.write(f"{blob}\n".encode())
        requests.flush()
        size = int(answers.readline().split()[2])
        content = answers.read(size)
        answers.read(1)
        return content.decode()

    @staticmethod
    def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
        if pipe is None:
            raise MirrorInvalidError("git cat-file has no pipe: start it again")
        return pipe


def _git(checkout: Path, *arguments: str) -> str:
    try:
        # quotepath off: the names of laws are Korean.
        command = ["git", "-C", str(checkout), "-c", "core.quotepath=off", *arguments]
        return subprocess.run(command, check=True, capture_output=True).stdout.decode()
    except FileNotFoundError:
        raise MirrorInvalidError("the program `git` is not installed: install it") from None
    except subprocess.CalledProcessError as error:
        reason = error.stderr.decode(errors="replace").strip().splitlines()
        raise MirrorInvalidError(
            f"{checkout}: {reason[-1] if reason else 'git failed'}: clone the statute mirror"
        ) from None
