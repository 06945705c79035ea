"""The bench: the judges of one run, built in or models, behind one port."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from gyeol.judge.domain.assessment import Lexicon
from gyeol.judge.domain.builtin.grounding import Grounding
from gyeol.judge.domain.builtin.register import Register
from gyeol.judge.domain.builtin.safety import Safety
from gyeol.judge.domain.case import Exchange, Pair, Policy, Question
from gyeol.judge.domain.score import Measure, Unscored, Vote

BUILTIN: Final = ("safety", "grounding", "register")
"""Judges of a run that names none."""
BUILTIN_MODEL: Final = "builtin"
"""What stands where a model's name would."""


@dataclass
class Calls:
    """Model calls made for one record."""

    payer: str = ""
    """Names the record: an attempt that was cut off bought for the same payer."""
    paid: int = 0
    cached: int = 0

    def count(self, *, cached: bool) -> None:
        if cached:
            self.cached += 1
        else:
            self.paid += 1


class Judge(Protocol):
    """Whoever judges."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str:
        """`builtin`, or the model that answers."""
        ...

    async def harmfulness(self, question: Question, policy: Policy) -> float | Unscored | None:
        """1 benign to 4 severe; None: this judge does not score questions."""
        ...

    async def measure(self, exchange: Exchange, *, with_coherence: bool) -> Measure: ...

    async def votes(self, pair: Pair) -> tuple[Vote, ...]:
        """Six votes, c1 to c6."""
        ...


class Rules(Protocol):
    """A built-in judge: pure, so nothing to wait for."""

    @property
    def name(self) -> str: ...

    def query(self, question: Question, /) -> float | None: ...

    def measure(self, exchange: Exchange) -> Measure: ...

    def votes(self, pair: Pair) -> tuple[Vote, ...]: ...


class BuiltIn:
    """A rule-based judge at the bench."""

    model = BUILTIN_MODEL

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.name = rules.name

    async def harmfulness(self, question: Question, policy: Policy) -> float | Unscored | None:  # noqa: ARG002
        return self._rules.query(question)

    async def measure(self, exchange: Exchange, *, with_coherence: bool) -> Measure:  # noqa: ARG002 (costs nothing)
        return self._rules.measure(exchange)

    async def votes(self, pair: Pair) -> tuple[Vote, ...]:
        return self._rules.votes(pair)


def builtin(lexicon: Lexicon) -> Mapping[str, Judge]:
    """The built-in judges by name."""
    rules: Sequence[Rules] = (Safety(lexicon), Grounding(lexicon), Register(lexicon))
    return {judge.name: BuiltIn(judge) for judge in rules}
