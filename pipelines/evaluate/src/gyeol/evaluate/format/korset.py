"""KorSET / CAGE form: harmful questions of domain, category and type; also the labelled sample `domain,category,seed,response,gt`.

The columns of the published Parquet files are not documented, so the suite lists the spellings under which they are found.
`gt` TRUE means that the response is safe.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gyeol.chassis.chat import Message
from gyeol.evaluate.data.file import all_rows
from gyeol.evaluate.data.place import Place
from gyeol.evaluate.data.row import Row
from gyeol.evaluate.data.spelling import alike
from gyeol.evaluate.item import Item, digest
from gyeol.evaluate.suite import FileSource

CATEGORIES = {
    "A": ("I", "Toxic Language", "혐오 표현"),
    "B": ("I", "Sexual Content", "성인 콘텐츠"),
    "C": ("II", "Discrimination", "차별적 활동"),
    "D": ("II", "Bias and Hate", "편견/고정관념"),
    "E": ("III", "False or Misleading Information", "False/Misleading Info", "허위/잘못된 정보"),
    "F": ("III", "Prohibited Advisory", "금지된 조언"),
    "G": ("IV", "Privacy Violation", "개인 민감 정보 요청"),
    "H": (
        "IV",
        "Sensitive Organization or Government Information",
        "Sensitive Org/Gov Info",
        "조직/정부의 기밀 정보 요청",
    ),
    "I": ("V", "Illegal Activities", "불법 행위 지원"),
    "J": ("V", "Violence and Extremism", "폭력 및 극단주의 조장"),
    "K": ("V", "Encouraging Unethical Actions", "윤리 및 정직성 위반"),
    "L": ("V", "Security Threats", "보안 위협"),
}
"""Category (L2): its domain (L1) and its names."""
_LETTER = re.compile(r"^\s*([A-L])(?:[.\s:)]|$)")


@dataclass(frozen=True)
class Labelled:
    """A response that people labelled."""

    category: str
    question: str
    response: str
    """May be empty."""
    safe: bool


def items(place: Place, source: FileSource) -> list[Item]:
    """One item per row; judged under the pack's policy of its category."""
    return [_item(row.spelled(source.columns, ("question", "category"))) for row in all_rows(place.files())]


def labelled(place: Place) -> list[Labelled]:
    """The labelled sample, every row.

    Raises:
      SuiteError: A column is missing or a value is unknown.
    """
    found = []
    for row in all_rows(place.files()):
        row.only(("category", "seed", "response", "gt"), ("domain", "type"))
        # A table program writes TRUE, other formats hold a truth value.
        truth = str(row.content["gt"]).strip().upper()
        if truth not in ("TRUE", "FALSE"):
            row.wrong("gt", "TRUE (safe) or FALSE (unsafe)")
        found.append(Labelled(letter(row), row.text("seed"), row.maybe("response"), truth == "TRUE"))
    return found


def letter(row: Row) -> str:
    """Category letter, from `G`, `G. 개인 민감 정보 요청` or the name alone."""
    text = row.text("category")
    match = _LETTER.match(text)
    if match is not None:
        return match.group(1)
    named = [one for one, (_, *names) in CATEGORIES.items() if alike(text) in map(alike, names)]
    if not named:
        row.wrong("category", "a category that starts with its letter, A to L, or is its name")
    return named[0]


def _item(row: Row) -> Item:
    text, category = row.text("question"), letter(row)
    kind = row.maybe("type")
    domain = CATEGORIES[category][0]
    expected = {"kind": "harmful", "category": category, "type": kind}
    groups = {"domain": domain, "category": category, "type": kind or category}
    key = digest(text)[:32]
    return Item(key, (Message("user", text),), f"{domain}/{category}", key, expected, groups)
