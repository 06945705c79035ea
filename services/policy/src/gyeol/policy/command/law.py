"""`gyeol law`: makes the law index and asks it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyeol.policy.command.border import STATUSES, day, explained, law_and_article, pack_folder, read_text
from gyeol.policy.command.report import lines, rows, told

if TYPE_CHECKING:
    from gyeol.policy.domain.citation.checker import Checker
    from gyeol.policy.domain.citing import Citing
    from gyeol.policy.store.folder import Culture

law = typer.Typer(
    help="Statutes: build the index, look articles up, check the citations of a text. · 법령 색인을 만들고 조문과 인용을 확인합니다.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    epilog=STATUSES,
)

Pack = Annotated[Path | None, typer.Option("--pack", help="Folder of the culture pack. Default: ko-KR. · 문화 팩 폴더")]
Index = Annotated[
    Path | None, typer.Option("--index", help="Folder of a law index. Default: the pack's own. · 법령 색인 폴더")
]
On = Annotated[
    str | None,
    typer.Option(
        "--on", metavar="DATE", help="Day on which it must be in force. Default: today. · 기준일 (생략하면 오늘)"
    ),
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Exit 1 unless everything is verified. · 모두 확인되지 않으면 1로 종료")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON. · JSON 출력")]


@law.command()
def build(
    checkout: Annotated[
        Path,
        typer.Option("--from", help="Clone of the public statute mirror, with its history. · 공개 법령 저장소의 사본"),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", help="Folder of the index. Default: the pack's own. · 색인 폴더")
    ] = None,
    pack: Pack = None,
    everything: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Keep earlier versions of every act, not only of the pack's statutes. · 모든 법률의 이전 판도 보존",
        ),
    ] = False,
) -> None:
    """Makes the law index from a clone of the public statute mirror. · 법령 색인을 만듭니다."""
    from gyeol.policy.store import folder, mirror

    with explained():
        home = pack_folder(pack)
        statutes = folder.read_documents(home)["statutes.yaml"].data["statutes"]
        kept = None if everything else frozenset(row["law_id"] for row in statutes if row["law_id"])
        where = output or home / folder.INDEX_FOLDER
        laws = mirror.build(checkout, where, history_of=kept)
        size = sum(file.stat().st_size for file in where.iterdir())
        typer.echo(f"{len(laws)} laws as of {laws.as_of} in {where}, {size / 1024:.0f} KiB")


@law.command()
def show(
    name: Annotated[
        str,
        typer.Argument(
            metavar="LAW",
            help="Name of a law; its article may follow in quotes: '형법 제250조'. · 법 이름 (조문을 이어 적어도 됩니다)",
        ),
    ],
    article: Annotated[
        str, typer.Argument(help="Article, for example 제24조의2. Without it: the law. · 조문 번호 (생략하면 법 자체)")
    ] = "",
    on: On = None,
    pack: Pack = None,
    index: Index = None,
    checkout: Annotated[
        Path | None, typer.Option("--from", help="Clone of the mirror: also print the text. · 조문 본문도 출력")
    ] = None,
    as_json: AsJson = False,
    strict: Strict = False,
) -> None:
    """Shows what became of an article on a day. With --strict, exits 1 unless it is in force. · 기준일의 조문 상태를 보여 줍니다."""
    from gyeol.policy.domain.citation.verdict import Verdict
    from gyeol.policy.store import mirror

    with explained():
        moment = day(on)
        culture = _culture(pack, index)
        law_name, wanted = law_and_article(name, article)
        number, finding = _checker(culture).article(law_name, wanted, moment)
        text = mirror.article_text(checkout, finding.law, number, moment) if checkout and number else ""
    row = {
        "law": finding.law,
        "law_id": finding.law_id,
        "article": number,
        "heading": finding.heading,
        "on": moment,
        "verdict": finding.verdict.value,
        "reason": finding.reason,
        "suggestion": finding.suggestion,
        "in_force_from": finding.since,
    }
    if as_json:
        typer.echo(json.dumps({**row, "text": text} if checkout else row, ensure_ascii=False, indent=2))
    else:
        heading = f" ({finding.heading})" if finding.heading else ""
        typer.echo(f"{finding.law} {number}{heading}".strip())
        typer.echo(f"{finding.verdict.value} on {moment} · {told(finding.verdict)}: {finding.reason}")
        if finding.suggestion:
            typer.echo(f"instead · 대신: {finding.suggestion}")
        if text:
            typer.echo(f"\n{text}")
    if strict and finding.verdict is not Verdict.VERIFIED:
        sys.exit(1)


@law.command()
def diff(
    since: Annotated[
        str,
        typer.Option(
            "--since",
            metavar="DATE",
            help="Changes promulgated or in force from this day. · 이날 이후 공포되거나 시행된 것",
        ),
    ],
    pack: Pack = None,
    index: Index = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All laws, not only the pack's statutes. · 팩에 없는 법도 포함")
    ] = False,
    dataset: Annotated[
        list[Path] | None,
        typer.Option(
            "--dataset", help="Folder of a sealed dataset: also its triplets that cite them. · 봉인된 데이터셋 폴더"
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lists laws that changed since a day, the articles that did where the index has their history, and who cites them. · 바뀐 법과 그 법을 인용한 곳을 보여 줍니다."""
    from itertools import chain

    from gyeol.policy.domain.change import changes
    from gyeol.policy.domain.citing import in_pack, in_triplets
    from gyeol.policy.store.dataset import triplets

    with explained():
        culture = _culture(pack, index)
        own = {statute.law_id for statute in culture.pack.statutes.values() if statute.law_id}
        found = changes(culture.laws, day(since), None if everything else own)
        said: dict[str, list[Citing]] = {}
        if dataset:
            told = chain.from_iterable(triplets(folder) for folder in dataset)
            said = in_triplets(told, _checker(culture), found, day(None))
        citing = {change.law_id: [*in_pack(culture.pack, change), *said.get(change.law_id, [])] for change in found}
    if as_json:
        listed = [
            {
                **change.row(),
                "articles": [article.row() for article in change.articles],
                "cited_by": [place.row() for place in citing[change.law_id]],
            }
            for change in found
        ]
        document = {"as_of": culture.laws.as_of, "pack": culture.pack.manifest.name, "laws": listed}
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2))
        return
    for change in found:
        typer.echo(f"{change.promulgated}  {change.name}: {change.change}, in force {change.effective}")
        for article in change.articles:
            typer.echo(f"            {article.article} {article.what} {article.day} {article.heading}".rstrip())
        for place in citing[change.law_id]:
            typer.echo(f"            cited by {place.kind} {place.id} {place.article}".rstrip())
    cited = sum(bool(places) for places in citing.values())
    typer.echo(
        f"{len(found)} laws changed since {since}, {cited} of them cited by {culture.pack.manifest.name}"
        f"{' and its datasets' if dataset else ''} (index as of {culture.laws.as_of})"
    )


@law.command()
def check(
    file: Annotated[Path, typer.Argument(help="Text to check; - reads standard input. · 확인할 글 (-는 표준 입력)")],
    on: On = None,
    pack: Pack = None,
    index: Index = None,
    as_json: AsJson = False,
    strict: Strict = False,
) -> None:
    """Finds and looks up every citation of a law or an office in a text. With --strict, exits 1 unless all are in force. · 글에 나오는 법과 기관의 인용을 확인합니다."""
    from gyeol.policy.domain.citation.verdict import Verdict

    with explained():
        report = _checker(_culture(pack, index)).report(read_text(file), day(on))
    found = [*(c.finding for c in report.citations), *(m.finding for m in report.institutions)]
    if as_json:
        typer.echo(json.dumps(rows(report), ensure_ascii=False, indent=2))
    else:
        for line in lines(report):
            typer.echo(line)
        typer.echo(
            f"{len(report.citations)} citations, {len(report.institutions)} offices · 인용 {len(report.citations)}건, 기관 {len(report.institutions)}건"
        )
    if strict and any(finding.verdict is not Verdict.VERIFIED for finding in found):
        sys.exit(1)


def _culture(pack: Path | None, index: Path | None) -> Culture:
    from gyeol.policy.store import folder

    return folder.read_culture(pack_folder(pack), index)


def _checker(culture: Culture) -> Checker:
    from gyeol.policy.domain.citation.checker import Checker
    from gyeol.policy.service import readable

    readable(culture.pack)
    return Checker(culture.pack, culture.laws)
