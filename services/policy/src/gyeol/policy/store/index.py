"""The law index as files: two compressed tables that are the same bytes for the same laws.

`laws.tsv.xz` has one law a line. `articles.tsv.xz` has a line `=<law id>` and below it the law's articles without 제 and 조,
so that the articles of one law can be cut out and read when they are asked for.
"""

from __future__ import annotations

import hashlib
import lzma
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from gyeol.policy.domain.law import EMPTY, ArticleSpan, Law, LawIndex, Title
from gyeol.policy.errors import IndexInvalidError

LAWS = "laws.tsv.xz"
ARTICLES = "articles.tsv.xz"
_COLUMNS = "law_id\tkind\tname\tpromulgated\teffective\tchange\tsince\trepealed_on\theld_from\tformer"
_FORMAT = "gyeol-law-index 1"

Spans = Mapping[str, Sequence[ArticleSpan]]


def read(folder: Path) -> tuple[LawIndex, str]:
    """Returns the index in `folder` and the digest of its content; an empty index when there is none.

    Raises:
      IndexInvalidError: A file is damaged or of another format.
    """
    if not (folder / LAWS).is_file():
        return EMPTY, ""
    laws_text, articles_text = (_text(folder / name) for name in (LAWS, ARTICLES))
    digest = "sha256:" + hashlib.sha256(laws_text + b"\0" + articles_text).hexdigest()
    header, columns, *rows = laws_text.decode().splitlines()
    name, _, as_of = header.partition("\tas_of=")
    if name != _FORMAT or columns != _COLUMNS:
        raise IndexInvalidError(f"{folder / LAWS}: is no law index of format 1: build it again with `gyeol law build`")
    blocks = {bytes(block[:6]).decode(): block for block in articles_text.split(b"\n=")[1:]}

    @lru_cache(maxsize=256)
    def articles(law_id: str) -> Mapping[str, tuple[ArticleSpan, ...]] | None:
        block = blocks.get(law_id)
        return None if block is None else _articles(block.decode())

    return LawIndex(map(_law, rows), articles, as_of=as_of), digest


def write(folder: Path, laws: Iterable[Law], articles: Mapping[str, Spans], *, as_of: str) -> None:
    """Writes an index; the same laws give the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = (_law_row(law) for law in sorted(laws, key=lambda law: law.id))
    _pack(folder / LAWS, "\n".join([f"{_FORMAT}\tas_of={as_of}", _COLUMNS, *rows]))
    blocks = (_block(law_id, spans) for law_id, spans in sorted(articles.items()))
    _pack(folder / ARTICLES, "\n".join([_FORMAT, *blocks]))


def _text(path: Path) -> bytes:
    try:
        return lzma.decompress(path.read_bytes())
    except (OSError, lzma.LZMAError) as error:
        raise IndexInvalidError(
            f"{path}: cannot be read ({error}): build the index again with `gyeol law build`"
        ) from None


def _pack(path: Path, text: str) -> None:
    scratch = path.with_suffix(".part")
    scratch.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))
    scratch.replace(path)


def _law(row: str) -> Law:
    law_id, kind, name, promulgated, effective, change, since, repealed_on, held_from, former = row.split("\t")
    titles = tuple(Title(*entry.split("@")) for entry in former.split("|")) if former else ()
    kind, change = sys.intern(kind), sys.intern(change)
    return Law(law_id, kind, name, promulgated, effective, change, since, repealed_on, held_from, titles)


def _law_row(law: Law) -> str:
    former = "|".join(f"{title.name}@{title.until}" for title in law.former)
    days = (law.since, law.repealed_on, law.held_from)
    return "\t".join((law.id, law.kind, law.name, law.promulgated, law.effective, law.change, *days, former))


def _articles(block: str) -> dict[str, tuple[ArticleSpan, ...]]:
    found: dict[str, tuple[ArticleSpan, ...]] = {}
    for line in block.split("\n")[1:]:
        number, *cells = line.split("\t")
        article = _written(number)
        found[article] = (*found.get(article, ()), ArticleSpan(*(cells or [""])))
    return found


def _block(law_id: str, spans: Spans) -> str:
    lines = [f"={law_id}"]
    for article in sorted(spans, key=article_order):
        ordered = sorted(spans[article], key=lambda span: span.since)
        lines += ["\t".join([_short(article), span.heading, span.since, span.until]).rstrip("\t") for span in ordered]
    return "\n".join(lines)


def article_order(article: str) -> tuple[int, ...]:
    """Returns the numbers of an article in order: 제44조의7 is (44, 7)."""
    return tuple(int(part) for part in _short(article).split("의"))


def _short(article: str) -> str:
    return article.removeprefix("제").replace("조", "", 1)


def _written(number: str) -> str:
    main, *branches = number.split("의")
    return f"제{main}조" + "".join(f"의{branch}" for branch in branches)
