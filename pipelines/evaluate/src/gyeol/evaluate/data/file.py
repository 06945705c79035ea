"""Reads rows from JSON, JSON lines, CSV, TSV and Parquet; bytes are decoded strictly, never guessed."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gyeol.evaluate.data.row import Row
from gyeol.evaluate.error import SuiteError

_LISTS = ("data", "questions", "rows")
"""Under one of these a JSON object may hold its rows."""
_POINTER = b"version https://git-lfs"


def rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Every row of a file, in order; a bare text is a row with the one column `text`.

    Args:
      path: The file; its suffix tells the format.
      columns: Columns to read of a Parquet file; None: all.

    Raises:
      SuiteError: The file cannot be read, is empty, or a row is not an object.
    """
    number = 0
    for number, content in enumerate(_contents(path, columns), start=1):
        if isinstance(content, str):
            content = {"text": content}
        if not isinstance(content, dict):
            raise SuiteError(f"{path}: row {number}: expected an object, found {type(content).__name__}")
        yield Row(path, number, content)
    if number == 0:
        raise SuiteError(f"{path} holds no rows")


def all_rows(paths: Iterable[Path]) -> Iterator[Row]:
    """Every row of several files."""
    for path in paths:
        yield from rows(path)


def _contents(path: Path, columns: Sequence[str] | None) -> Iterator[Any]:
    match path.suffix.lower():
        case ".parquet":
            yield from _parquet(path, columns)
        case ".json":
            yield from _json(path)
        case ".jsonl":
            yield from _lines(path, _text(path))
        case ".csv" | ".tsv":
            yield from _separated(path)
        case other:
            raise SuiteError(f"{path}: unknown suffix {other!r}; use .json, .jsonl, .csv, .tsv or .parquet")


def _json(path: Path) -> Iterator[Any]:
    text = _text(path)
    if _is_lines(text):
        yield from _lines(path, text)
        return
    content = _parsed(path, text, "document")
    if isinstance(content, dict):
        content = next((content[name] for name in _LISTS if isinstance(content.get(name), list)), content)
    if not isinstance(content, list):
        raise SuiteError(f"{path}: expected a JSON array of rows, found {type(content).__name__}")
    yield from content


def _is_lines(text: str) -> bool:
    """Whether a `.json` file holds an object per line, as some that are published do."""
    first, _, rest = text.lstrip().partition("\n")
    return first.startswith("{") and first.rstrip().endswith("}") and rest.lstrip().startswith("{")


def _lines(path: Path, text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield _parsed(path, line, f"line {number}")


def _separated(path: Path) -> Iterator[dict[str, Any]]:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.DictReader(io.StringIO(_text(path), newline=""), delimiter=delimiter, strict=True)
    csv.field_size_limit(10_000_000)
    try:
        header = reader.fieldnames or ()
        if twice := sorted({name for name in header if header.count(name) > 1}):
            raise SuiteError(f"{path}: the header names {', '.join(map(repr, twice))} twice; rename the columns")
        for content in reader:
            if None in content or None in content.values():
                raise SuiteError(f"{path}: line {reader.line_num} has another number of cells than the header")
            yield content
    except csv.Error as error:
        raise SuiteError(f"{path}: line {reader.line_num}: {error}") from error


def _parquet(path: Path, columns: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    with parquet(path) as file:
        for batch in file.iter_batches(batch_size=256, columns=columns):
            yield from batch.to_pylist()


@contextmanager
def parquet(path: Path) -> Iterator[Any]:
    """The opened `pyarrow.parquet.ParquetFile`.

    Raises:
      SuiteError: It cannot be read, now or while it is open.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowInvalid, OSError) as error:
        _refuse_pointer(path)
        raise SuiteError(f"{path} is no readable Parquet file: {error}") from error


def _parsed(path: Path, text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise SuiteError(f"{path}: {where} is not JSON: {error}; is the download complete?") from error


def _refuse_pointer(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(len(_POINTER)) == _POINTER:
            raise SuiteError(f"{path} is only a pointer of git-lfs; fetch the file itself: git lfs pull")


def _text(path: Path) -> str:
    try:
        _refuse_pointer(path)
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SuiteError(
            f"{path}: byte {error.start} is not UTF-8; convert the file, for example: iconv -f CP949 -t UTF-8"
        ) from error
    except OSError as error:
        raise SuiteError(f"{path} cannot be read: {error}") from error
