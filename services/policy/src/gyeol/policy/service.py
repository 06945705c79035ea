"""What the policy service can do, whichever door the request came through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from gyeol.policy.domain.law import LawIndex
from gyeol.policy.domain.pack import Pack
from gyeol.policy.domain.rendering import Rendered, rendered
from gyeol.policy.errors import CultureMismatchError, PackMissingError

DEFAULT_CULTURE: Final = "ko-KR"


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

    def __init__(self, cultures: Mapping[str, tuple[Pack, LawIndex]]) -> None:
        self._cultures = cultures

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
            probe_id=question.mold if question.benign else "",
        )

    def _culture(self, name: str) -> tuple[Pack, LawIndex]:
        culture = self._cultures.get(name or DEFAULT_CULTURE)
        if culture is None:
            known = ", ".join(sorted(self._cultures))
            raise PackMissingError(f"there is no culture pack {name!r}: use one of {known}")
        return culture
