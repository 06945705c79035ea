"""One row of a public file, read strictly: an error names file, row, column, value and what was expected."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from gyeol.evaluate.error import SuiteError

_NOISE = ("Unnamed: 0", "__index_level_0__")
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
        there = {_folded(str(name)): name for name in self.content}
        found = {
            name: next((there[_folded(one)] for one in spellings if _folded(one) in there), None)
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
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            self.wrong(column, "text")
        return unicodedata.normalize("NFC", str(value)).strip()

    def one_of(self, column: str, allowed: Sequence[str]) -> str:
        """Text that is one of `allowed`."""
        value = self.text(column)
        if value not in allowed:
            self.wrong(column, f"one of {', '.join(allowed)}")
        return value

    def texts(self, column: str) -> list[str]:
        """A list of texts, NFC; also when the cell holds the list as JSON or as Python prints it."""
        value = self.content.get(column)
        if isinstance(value, str):
            value = parsed_list(value)
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(one, str | int | float) and str(one).strip() for one in value)
        ):
            self.wrong(column, "a list of texts")
        return [unicodedata.normalize("NFC", str(one)).strip() for one in value]

    def index(self, column: str, labels: Sequence[str]) -> int:
        """Index of the text among `labels`."""
        value = self.text(column)
        if value not in labels:
            self.wrong(column, f"one of {', '.join(labels)}")
        return labels.index(value)


def _folded(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def parsed_list(cell: str) -> object:
    """The list that a cell holds as JSON or as a Python literal; None when it holds neither."""
    import ast

    try:
        return json.loads(cell)
    except ValueError:
        pass
    try:
        return ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
