"""`gyeol law`: makes the law index and asks it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gyeol.policy.command.border import day, explained, pack_folder
from gyeol.policy.command.report import lines, rows

if TYPE_CHECKING:
    from gyeol.policy.domain.citation.checker import Checker
    from gyeol.policy.domain.citing import Citing
    from gyeol.policy.store.folder import Culture

law = typer.Typer(
    help="Statutes: build the index, look articles up, check the citations of a text.", no_args_is_help=True
)

Pack = Annotated[Path | None, typer.Option("--pack", help="Folder of the culture pack. Default: ko-KR.")]
Index = Annotated[Path | None, typer.Option("--index", help="Folder of a law index. Default: the pack's own.")]
On = Annotated[
    str | None, typer.Option("--on", metavar="DATE", help="Day on which it must be in force. Default: today.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 unless everything is verified.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@law.command()
def build(
    checkout: Annotated[Path, typer.Option("--from", help="Clone of the public statute mirror, with its history.")],
    output: Annotated[
        Path | None, typer.Option("--output", help="Folder of the index. Default: the pack's own.")
    ] = None,
    pack: Pack = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Keep earlier versions of every act, not only of the pack's statutes.")
    ] = False,
) -> None:
    """Makes the law index from a clone of the public statute mirror."""
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
    name: Annotated[str, typer.Argument(metavar="LAW", help="Title, short or former name of a law.")],
    article: Annotated[str, typer.Argument(help="Article, for example 제24조의2. Without it: the law.")] = "",
    on: On = None,
    pack: Pack = None,
    index: Index = None,
    checkout: Annotated[Path | None, typer.Option("--from", help="Clone of the mirror: also print the text.")] = None,
    as_json: AsJson = False,
    strict: Strict = False,
) -> None:
    """Shows what became of an article on a day. With --strict, exits 1 unless it is in force."""
    from gyeol.policy.domain.citation.verdict import Verdict
    from gyeol.policy.store import mirror

    with explained():
        moment = day(on)
        culture = _culture(pack, index)
        number, finding = _checker(culture).article(name, article, moment)
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
        typer.echo(f"{finding.verdict.value} on {moment}: {finding.reason}")
        if finding.suggestion:
            typer.echo(f"instead: {finding.suggestion}")
        if text:
            typer.echo(f"\n{text}")
    if strict and finding.verdict is not Verdict.VERIFIED:
        sys.exit(1)


@law.command()
def diff(
    since: Annotated[
        str, typer.Option("--since", metavar="DATE", help="Changes promulgated or in force from this day.")
    ],
    pack: Pack = None,
    index: Index = None,
    everything: Annotated[bool, typer.Option("--all", help="All laws, not only the pack's statutes.")] = False,
    dataset: Annotated[
        list[Path] | None,
        typer.Option("--dataset", help="Folder of a sealed dataset: also its triplets that cite them."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Lists laws that changed since a day, the articles that did where the index has their history, and who cites them."""
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
    file: Annotated[Path, typer.Argument(help="Text to check; - reads standard input.")],
    on: On = None,
    pack: Pack = None,
    index: Index = None,
    as_json: AsJson = False,
    strict: Strict = False,
) -> None:
    """Finds and looks up every citation of a law or an office in a text. With --strict, exits 1 unless all are in force."""
    from gyeol.policy.domain.citation.verdict import Verdict

    with explained():
        report = _checker(_culture(pack, index)).report(_text(file), day(on))
    found = [*(c.finding for c in report.citations), *(m.finding for m in report.institutions)]
    if as_json:
        typer.echo(json.dumps(rows(report), ensure_ascii=False, indent=2))
    else:
        for line in lines(report):
            typer.echo(line)
        typer.echo(f"{len(report.citations)} citations, {len(report.institutions)} offices")
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


def _text(file: Path) -> str:
    import unicodedata

    from gyeol.policy.errors import TextInvalidError

    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return unicodedata.normalize("NFC", raw.decode("utf-8-sig"))
    except OSError as error:
        raise TextInvalidError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise TextInvalidError(f"{file}: byte {error.start} is not UTF-8: save the text as UTF-8") from None
