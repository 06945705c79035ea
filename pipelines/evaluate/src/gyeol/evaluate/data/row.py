"""One row of a public file, read strictly: an error names file, row, column, value and what was expected."""

from __future__ import annotations

import datetime as dt
import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from gyeol.evaluate.data.spelling import folded
from gyeol.evaluate.error import SuiteError

_NOISE = ("", "Unnamed: 0", "__index_level_0__")
"""Index columns that dataframe libraries leave behind."""


@dataclass(frozen=True)
class Row:
    file: Path
    number: int
    """From 1, header not counted."""
    content: Mapping[str, Any]

    def wrong(self, column: str, expected: str) -> NoReturn:
        """Refuses the value of a column.

        Raises:
          SuiteError: Always.
        """
        value = f" (value: {self.content[column]!r:.80})" if column in self.content else " (missing)"
        raise SuiteError(f"{self.file}: row {self.number}: {column}: expected {expected}{value}")

    def only(self, required: Sequence[str], optional: Sequence[str] = ()) -> Row:
        """The row itself, once its columns are known to be these.

        Raises:
          SuiteError: A column is missing or unknown: the file has another form than the published one.
        """
        missing = [name for name in required if name not in self.content]
        unknown = [name for name in self.content if name not in (*required, *optional, *_NOISE)]
        if missing or unknown:
            lacks = f"lacks {', '.join(missing)}" if missing else ""
            odd = f"has unknown {', '.join(map(str, unknown))}" if unknown else ""
            raise SuiteError(
                f"{self.file}: row {self.number} {' and '.join(filter(None, (lacks, odd)))}; "
                f"expected columns {', '.join(required)}" + (f" and perhaps {', '.join(optional)}" if optional else "")
            )
        return self

    def spelled(self, columns: Mapping[str, Sequence[str]], required: Sequence[str]) -> Row:
        """The row with its columns called by our names, for files whose column names are not documented.

        Args:
          columns: Spellings of each of our names, case and separators ignored; the first one that is there counts.
          required: Which of our names must be there.

        Raises:
          SuiteError: None of the spellings of a required column is there.
        """
        there = {folded(str(name)): name for name in self.content}
        found = {
            name: next((there[folded(one)] for one in spellings if folded(one) in there), None)
            for name, spellings in columns.items()
        }
        for name in required:
            if found.get(name) is None:
                raise SuiteError(
                    f"{self.file} lacks a column for {name}: expected one of "
                    f"{', '.join(columns.get(name, (name,)))}; found {', '.join(map(str, self.content))}"
                )
        return Row(self.file, self.number, {name: self.content[one] for name, one in found.items() if one is not None})

    def text(self, column: str) -> str:
        """Text that is not empty, NFC, without blanks around it."""
        value = self.maybe(column)
        if not value:
            self.wrong(column, "text")
        return value

    def maybe(self, column: str) -> str:
        """Text, or empty when the column is absent, null or blank."""
        value = self.content.get(column)
        if _is_nothing(value):
            return ""
        if not isinstance(value, str | int | float | dt.date) or isinstance(value, bool):
            self.wrong(column, "text")
        return _written(value)

    def lacks(self, column: str) -> bool:
        """Whether a cell is absent, null or blank, whatever it would hold."""
        value = self.content.get(column)
        return _is_nothing(value) or (isinstance(value, str) and not value.strip())

    def one_of(self, column: str, allowed: Sequence[str]) -> str:
        """Text that is one of `allowed`."""
        value = self.text(column)
        if value not in allowed:
            self.wrong(column, f"one of {', '.join(allowed)}")
        return value

    def texts(self, column: str) -> list[str]:
        """A list of texts, NFC; also when the cell holds the list as JSON or as Python prints it.

        Nulls at its end only fill it up to the length of others; elsewhere they are refused.
        """
        value = self.content.get(column)
        if isinstance(value, str):
            value = parsed(value)
        if not isinstance(value, list):
            self.wrong(column, "a list of texts")
        texts = list(value)
        while texts and _is_nothing(texts[-1]):
            texts.pop()
        if not texts or not all(_is_text(one) for one in texts):
            self.wrong(column, "a list of texts")
        return [_written(one) for one in texts]

    def index(self, column: str, labels: Sequence[str]) -> int:
        """Index of the text among `labels`."""
        value = self.text(column)
        if value not in labels:
            self.wrong(column, f"one of {', '.join(labels)}")
        return labels.index(value)


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is_text(value: object) -> bool:
    plain = isinstance(value, str | int | float) and not isinstance(value, bool) and not _is_nothing(value)
    return plain and bool(str(value).strip())


def _written(value: str | int | float | dt.date) -> str:
    """A cell as text, NFC, without blanks around it; a whole number is one, also where a column with gaps made it 3.0."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return unicodedata.normalize("NFC", str(value)).strip()


def parsed(cell: str) -> object:
    """What a cell holds as JSON or as a Python literal, for example a list; None when it holds neither."""
    import ast

    try:
        return json.loads(cell)
    except ValueError:
        pass
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
