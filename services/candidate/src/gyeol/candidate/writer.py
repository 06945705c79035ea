"""Who writes: the three built-in writers and the writer models of a models file, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from gyeol.candidate.domain.assignment import Assignment, Written
from gyeol.candidate.domain.composition import ORDERS, answer, reply
from gyeol.candidate.domain.text import nfc, visible
from gyeol.candidate.domain.usage import Spending
from gyeol.candidate.errors import WriterUnknownError
from gyeol.candidate.model import Line
from gyeol.candidate.service import Writer
from gyeol.chassis.chat import Chat, Endpoint, Message, load_endpoints
from gyeol.chassis.errors import DeniedError, InvalidError, NotReadyError

BUILTIN_MODEL: Final = "builtin"


class Composer:
    """A built-in writer."""

    def __init__(self, name: str, turn: str) -> None:
        self.name = name
        self._turn = turn

    async def write(self, assignment: Assignment, spending: Spending) -> Written:  # noqa: ARG002 (costs nothing)
        if assignment.benign:
            text = reply(self.name, assignment.seed_id, assignment.material)
        else:
            text = answer(self.name, assignment.seed_id, assignment.material, turn=self._turn)
        if not text:
            detail = f"the policy has no {'reply' if assignment.benign else 'material'} for this type"
            return Written(self.name, BUILTIN_MODEL, unscored="MODEL_FAILED", detail=detail)
        return Written(self.name, BUILTIN_MODEL, nfc(text))


class ModelWriter:
    """A language model that answers under the policy. What it fails to give is unscored, so the others go on."""

    def __init__(self, line: Line) -> None:
        self.name = line.endpoint.name
        self._line = line

    async def write(self, assignment: Assignment, spending: Spending) -> Written:
        model = self._line.endpoint.model
        messages = [Message("system", assignment.system_prompt), Message("user", assignment.prompt)]
        try:
            said = await self._line.ask(messages, spending)
        except (NotReadyError, DeniedError, InvalidError) as error:
            return Written(self.name, model, unscored="INFRA_FAILED", detail=str(error))
        text = visible(said.text)
        if said.finish_reason in ("length", "content_filter") or not text:
            detail = f"the answer is empty or was stopped ({said.finish_reason or 'no finish reason'})"
            return Written(self.name, model, used=said.used, unscored="MODEL_FAILED", detail=detail)
        return Written(self.name, model, text, said.used)


class Desks:
    """Seats the writers that a run names."""

    def __init__(self, turn: str, chat: Chat, models: Path, *, max_tokens: int) -> None:
        self._turn = turn
        self._chat = chat
        self._models = models
        self._max_tokens = max_tokens

    def writers(self, names: Sequence[str], endpoints: str, run_id: str | None) -> Sequence[Writer]:
        """The writers in the run's order; the built-in ones when it names none.

        Raises:
          WriterUnknownError: A name is neither built in nor in the models file.
        """
        named = names or tuple(ORDERS)
        models = {} if all(name in ORDERS for name in named) else load_endpoints(self._models, endpoints)
        return [self._seated(name, models, endpoints, run_id) for name in named]

    def _seated(self, name: str, models: Mapping[str, Endpoint], endpoints: str, run_id: str | None) -> Writer:
        if name in ORDERS:
            return Composer(name, self._turn)
        if name not in models:
            known = ", ".join([*ORDERS, *models])
            raise WriterUnknownError(f"run.writers names {name!r}: use one of {known}, or add it to {endpoints}.yaml")
        return ModelWriter(Line(self._chat, models[name], run_id, self._max_tokens, temperature=None))
