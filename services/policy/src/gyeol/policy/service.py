"""What the policy service can do, whichever door the request came through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from gyeol.chassis.clock import Clock, day_in_korea
from gyeol.policy.domain.citation.checker import Checker, Report
from gyeol.policy.domain.citation.verdict import Finding
from gyeol.policy.domain.law import LawIndex
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.rendering import Rendered, rendered
from gyeol.policy.errors import CultureMismatchError, DateInvalidError, GrammarMissingError, PackMissingError

DEFAULT_CULTURE: Final = "ko-KR"
GRAMMARS: Final = ("ko",)
"""Languages whose citations can be read."""


def readable(pack: Pack) -> None:
    """Raises:
    GrammarMissingError: Citations in the pack's language cannot be read.
    """
    if pack.manifest.language not in GRAMMARS:
        raise GrammarMissingError(
            f"citations in {pack.manifest.language!r} cannot be read yet: use a pack in {', '.join(GRAMMARS)}"
        )


@dataclass(frozen=True)
class Question:
    """What a policy is rendered for."""

    culture: str
    pack_digest: str
    category: str
    type: str
    mold: str
    slots: Mapping[str, str]
    benign: bool


class Policies:
    """The culture packs at hand."""

    def __init__(self, cultures: Mapping[str, tuple[Pack, LawIndex]], clock: Clock) -> None:
        self._cultures = cultures
        self._clock = clock
        self._checkers: dict[str, Checker] = {}

    def pack(self, culture: str) -> Pack:
        """Returns a pack by name; the default one for an empty name.

        Raises:
          PackMissingError: There is none; the message lists those there are.
        """
        return self._culture(culture)[0]

    def render(self, question: Question) -> Rendered:
        """Renders the policy that applies to a question.

        Raises:
          PackMissingError: The question's culture is not at hand.
          CultureMismatchError: The question was made from another state of the pack.
          CategoryMissingError: The pack does not know its category, type or probe.
        """
        pack = self.pack(question.culture)
        if question.pack_digest and question.pack_digest != pack.digest:
            raise CultureMismatchError(
                f"the seed was made from {question.culture} {question.pack_digest}, here is {pack.digest}: "
                "make new seeds, or serve the pack they were made from"
            )
        return rendered(
            pack,
            category=question.category,
            type_id=question.type,
            slots=question.slots,
            mold_id=question.mold,
            probe_id=question.mold if question.benign else "",
        )

    def check(self, text: str, *, culture: str, on: str) -> Report:
        """Finds everything a text cites and looks it up as of a day, today for an empty one.

        Raises:
          PackMissingError: There is no such culture.
          DateInvalidError: `on` is not YYYY-MM-DD.
        """
        return self._checker(culture).report(text, self._day(on))

    def article(self, law: str, article: str, *, culture: str, on: str) -> tuple[str, Finding]:
        """Looks one article up, or a law when `article` is empty; returns the article as it is written in full.

        Raises:
          PackMissingError: There is no such culture.
          DateInvalidError: `on` is not YYYY-MM-DD.
          ArticleInvalidError: `article` has not the form of an article number.
        """
        return self._checker(culture).article(law, article, self._day(on))

    def _checker(self, culture: str) -> Checker:
        pack, laws = self._culture(culture)
        name = pack.manifest.name
        readable(pack)
        if name not in self._checkers:
            self._checkers[name] = Checker(pack, laws)
        return self._checkers[name]

    def _day(self, on: str) -> str:
        if not on:
            return day_in_korea(self._clock.now())
        try:
            return date.fromisoformat(on).isoformat()
        except ValueError:
            raise DateInvalidError(f"on = {on!r}: write a date as YYYY-MM-DD, or leave it empty for today") from None

    def _culture(self, name: str) -> tuple[Pack, LawIndex]:
        culture = self._cultures.get(name or DEFAULT_CULTURE)
        if culture is None:
            known = ", ".join(sorted(self._cultures))
            raise PackMissingError(f"there is no culture pack {name!r}: use one of {known}")
        return culture
