"""CLIcK (arXiv 2403.06412): `{id, paragraph, question, choices, answer}`, where `answer` is the text of a choice.

In the GitHub tree the folder is the category; the merged file of the hub has none, so there only the exam is known.
Items of the CSAT have five choices. `listed: four` shows only four of them and still scores five, as the harness task does.
"""

from __future__ import annotations

from pathlib import Path

from gyeol.evaluate.data.file import rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.format.multiple import multiple
from gyeol.evaluate.item import Item
from gyeol.evaluate.suite import FileSource

CULTURE = ("Economy", "Geography", "History", "Law", "Politics", "Popular", "Society", "Tradition")
LANGUAGE = ("Functional", "Grammar", "Textual")
UNKNOWN = "unknown"
_COLUMNS = ("id", "paragraph", "question", "choices", "answer")


def items(place: Place, source: FileSource) -> list[Item]:
    """Items of the folder tree or of the merged file; in a tree, files outside of the category folders are not items."""
    found: list[Item] = []
    categories = {path: category_of(path, place.path) for path in place.files()}
    in_tree = any(category != UNKNOWN for category in categories.values())
    for path, category in categories.items():
        if in_tree and category == UNKNOWN:
            continue
        for row in rows(path):
            found += _items(row.only(_COLUMNS), category, source)
    return found


def category_of(path: Path, root: Path) -> str:
    """The category that the folders between root and file name; `unknown` when they name none."""
    below = path.relative_to(root).parts[:-1] if root.is_dir() else ()
    for part in reversed((*root.parts[-1:], *below)):
        for category in (*CULTURE, *LANGUAGE):
            if category.casefold() in part.casefold() or (category == "Popular" and "pop" in part.casefold()):
                return category
    return UNKNOWN


def _items(row: Row, category: str, source: FileSource) -> list[Item]:
    choices = row.texts("choices")
    if len(choices) not in (4, 5):
        row.wrong("choices", "four or five choices")
    answer = row.index("answer", choices)
    exam = row.text("id").split("_")[0]
    area = "Culture" if category in CULTURE else "Language" if category in LANGUAGE else UNKNOWN
    paragraph = row.maybe("paragraph")
    return multiple(
        source,
        row.text("id") if category == UNKNOWN else f"{category}/{row.text('id')}",
        choices,
        answer,
        {"passage": f"맥락: {paragraph}\n" if paragraph else "", "question": row.text("question")},
        stratum=exam if category == UNKNOWN else f"{area}/{category}",
        groups={"category": category, "area": area, "exam": exam, "choices": str(len(choices))},
        shown=4 if source.options.get("listed") == "four" else None,
    )
