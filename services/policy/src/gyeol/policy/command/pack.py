"""`gyeol pack`: starts, checks, compares, packs and signs culture packs."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyeol.policy.command.border import STATUSES, day, explained

if TYPE_CHECKING:
    from gyeol.policy.domain.check.completeness import Coverage
    from gyeol.policy.store.folder import Culture

pack = typer.Typer(
    help="Culture packs: start, verify, compare, build and sign them. · 문화 팩을 만들고 확인하고 서명합니다.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    epilog=STATUSES,
)

Folder = Annotated[Path, typer.Argument(metavar="PATH", help="Folder of a culture pack. · 문화 팩 폴더")]
Key = Annotated[
    Path | None,
    typer.Option("--key", help="Ed25519 public key (PEM): the image must be signed with it. · 서명을 확인할 공개 키"),
]


@pack.command()
def verify(
    path: Annotated[
        Path,
        typer.Argument(help="Folder of a culture pack, or the OCI image layout of one. · 문화 팩 폴더 또는 OCI 이미지"),
    ],
    on: Annotated[
        str | None,
        typer.Option("--on", metavar="DATE", help="Day of the check. Default: today. · 기준일 (생략하면 오늘)"),
    ] = None,
    index: Annotated[
        Path | None, typer.Option("--index", help="Folder of another law index. · 다른 법령 색인 폴더")
    ] = None,
    key: Key = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print no table. · 표 생략")] = False,
) -> None:
    """Checks form, references, templates, statutes, numbers, dates and every sentence's citations. Exits 1 on a fault. · 팩을 확인합니다. 잘못이 있으면 1로 종료합니다."""
    with explained():
        if (path / "oci-layout").is_file():
            with tempfile.TemporaryDirectory() as scratch:
                typer.echo(_unpacked(path, Path(scratch), key))
                _verify(Path(scratch), index, day(on), quiet)
        else:
            _verify(path, index, day(on), quiet)


@pack.command()
def init(
    path: Folder,
    name: Annotated[str, typer.Option("--name", help="Language and region, for example ja-JP. · 언어와 지역")],
    title: Annotated[str, typer.Option("--title", help="Title in English. · 영어 제목")] = "",
) -> None:
    """Starts a pack: a skeleton with one type of harm that verifies and can be served as it is. · 새 팩의 뼈대를 만듭니다."""
    from gyeol.policy.store import skeleton

    with explained():
        for file in skeleton.write(path, name=name, title=title or f"{name} culture pack", on=day(None)):
            typer.echo(f"wrote {file}")
    typer.echo(f"next: fill it in, then `gyeol pack verify {path}`")


@pack.command()
def diff(
    before: Annotated[Path, typer.Argument(help="Folder of the earlier pack. · 이전 팩 폴더")],
    after: Annotated[Path, typer.Argument(help="Folder of the later pack. · 이후 팩 폴더")],
) -> None:
    """Lists what was added, removed and changed, item by item. Exits 1 when anything was. · 두 팩의 차이를 항목별로 보여 줍니다."""
    from gyeol.policy.domain.difference import changes
    from gyeol.policy.store.folder import read_documents

    with explained():
        old, new = ({n: d.data for n, d in read_documents(folder).items()} for folder in (before, after))
    found = changes(old, new)
    for change in found:
        sign = {"added": "+", "removed": "-", "changed": "~"}[change.what]
        typer.echo(f"{sign} {change.item}" + (f" ({', '.join(change.fields)})" if change.fields else ""))
    counts = Counter(change.what for change in found)
    typer.echo(f"{counts['added']} added, {counts['removed']} removed, {counts['changed']} changed")
    if found:
        sys.exit(1)


@pack.command()
def build(
    path: Folder,
    output: Annotated[Path, typer.Option("--output", help="Folder of the OCI image layout. · OCI 이미지 폴더")],
) -> None:
    """Packs a verified culture pack as an OCI image layout; the same pack gives the same digest. · 확인된 팩을 OCI 이미지로 묶습니다."""
    from gyeol.policy.store import image

    with explained():
        culture = _sound(path, None, day(None))
        manifest = culture.pack.manifest
        made = image.build(
            path,
            output,
            name=manifest.name,
            version=manifest.version,
            content_digest=culture.pack.digest,
            licence=manifest.licence,
        )
    typer.echo(f"{manifest.name} {manifest.version}: {made.digest}")


@pack.command()
def sign(
    layout: Annotated[
        Path,
        typer.Argument(
            metavar="IMAGE", help="OCI image layout made by `gyeol pack build`. · `gyeol pack build`가 만든 이미지"
        ),
    ],
    key: Annotated[Path, typer.Option("--key", help="Ed25519 private key (PEM). · 개인 키")],
) -> None:
    """Signs a built pack. `gyeol pack verify IMAGE --key PUBLIC` checks the signature. · 묶은 팩에 서명합니다."""
    from gyeol.policy.store import image, signature

    with explained():
        made = image.read(layout)
        identifier = signature.sign(made, key)
    typer.echo(f"{made.digest} signed with key {identifier}")


def _unpacked(layout: Path, scratch: Path, key: Path | None) -> str:
    from gyeol.policy.store import image, signature

    found = image.read(layout)
    signed = f", signed with key {signature.verify(found, key)}" if key else ""
    image.unpack(found, scratch)
    return f"{layout}: {found.digest}{signed}"


def _verify(path: Path, index: Path | None, moment: str, quiet: bool) -> None:
    from gyeol.policy.verification import verification

    culture = _read(path, index)
    result = verification(culture.pack, culture.laws, moment)
    for finding in result.findings:
        typer.echo(f"{'error' if finding.severe else 'note'}: {culture.placed(finding)}", err=finding.severe)
    if not quiet:
        _table(result.coverage)
    typer.echo(_summary(culture))
    if result.severe:
        count = sum(finding.severe for finding in result.findings)
        typer.echo(f"{count} {'fault' if count == 1 else 'faults'}: correct the lines marked error", err=True)
        sys.exit(1)
    skeleton = " (a skeleton: its form is sound, its content is not reviewed)" if culture.pack.manifest.skeleton else ""
    typer.echo(f"verified as of {moment}{skeleton}")


def _read(path: Path, index: Path | None) -> Culture:
    from gyeol.policy.store import folder
    from gyeol.policy.store import index as indexes

    documents = folder.read_documents(path)
    laws, digest = indexes.read(index or path / folder.INDEX_FOLDER)
    return folder.Culture(folder.pack_of(documents, digest), laws, documents)


def _sound(path: Path, index: Path | None, moment: str) -> Culture:
    from gyeol.policy.errors import PackInvalidError
    from gyeol.policy.verification import verification

    culture = _read(path, index)
    found = verification(culture.pack, culture.laws, moment).findings
    if severe := [culture.placed(finding) for finding in found if finding.severe]:
        raise PackInvalidError(severe)
    return culture


def _table(rows: tuple[Coverage, ...]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Column, Table

    counted = ("molds", "asks", "probes", "lines", "rubrics")
    widest = max((len(row.type) for row in rows), default=0)
    columns = (Column(name, justify="right") for name in counted)
    table = Table(Column("type", min_width=widest), "", *columns, box=box.SIMPLE, pad_edge=False)
    for row in rows:
        numbers = (row.molds, row.fillings, row.probes, row.sentences, row.rubrics)
        table.add_row(row.type, row.name_ko, *(str(number) for number in numbers))
    totals = (sum(getattr(row, name) for row in rows) for name in ("molds", "fillings", "probes", "sentences"))
    table.add_section()
    table.add_row("total", str(len(rows)), *(str(total) for total in totals), "")
    # Into a file or a pipe the table keeps the width it needs.
    Console(width=None if sys.stdout.isatty() else 100).print(table)


def _summary(culture: Culture) -> str:
    it = culture.pack
    moments = Counter(prompt.situation for prompt in it.empathy)
    empathy = ", ".join(f"{situation} {count}" for situation, count in sorted(moments.items())) or "none"
    return "\n".join(
        [
            f"{it.manifest.name} {it.manifest.version} {it.digest}",
            f"statutes {len(it.statutes)}, offices {len(it.institutions)}, populations {len(it.populations)}, "
            f"norms {len(it.norms)}, terms {len(it.terms)}, questions {len(it.questions)}",
            f"empathy {len(it.empathy)}: {empathy}",
            f"law index: {len(culture.laws)} laws as of {culture.laws.as_of or 'never'}",
        ]
    )
