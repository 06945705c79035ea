"""Seats the models that a run's models file gives a role in making seeds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from gyeol.chassis.chat import Chat, Endpoint, load_endpoints
from gyeol.seed.errors import RoleInvalidError
from gyeol.seed.filler import ModelFiller
from gyeol.seed.line import Line
from gyeol.seed.plausibility import PlausibilityJudge
from gyeol.seed.progress import Panel
from gyeol.seed.reply import ReplyFormat
from gyeol.seed.service import Calls, Request

FILLER: Final = "filler"
PLAUSIBILITY: Final = "plausibility"


class ModelPanels:
    """Looks the roles up for each request: a models file may change between runs."""

    def __init__(self, chat: Chat, models: Path, *, reply_format: ReplyFormat, max_tokens: int) -> None:
        self._chat = chat
        self._models = models
        self._format = reply_format
        self._max_tokens = max_tokens

    def panel(self, request: Request, calls: Calls) -> Panel:
        """Who fills and who judges for a request; nobody when its models file gives no roles.

        Raises:
          RoleInvalidError: A role is unknown or given twice.
          NotFoundError: There is no such models file.
        """
        known = load_endpoints(self._models, request.endpoints or "builtin")
        roles = _roles(known, request.endpoints)
        lines = {
            role: Line(self._chat, endpoint, request.payer or None, request.id, calls, self._format, self._max_tokens)
            for role, endpoint in roles.items()
        }
        return Panel(
            filler=ModelFiller(lines[FILLER]) if FILLER in lines else None,
            judge=PlausibilityJudge(lines[PLAUSIBILITY]) if PLAUSIBILITY in lines else None,
            identity=tuple(
                (role, one.name, one.model, one.revision, str(one.temperature)) for role, one in roles.items()
            ),
        )


def _roles(known: Mapping[str, Endpoint], file: str) -> dict[str, Endpoint]:
    given: dict[str, Endpoint] = {}
    for endpoint in known.values():
        for role in endpoint.roles:
            if role not in (FILLER, PLAUSIBILITY):
                raise RoleInvalidError(
                    f"{file}.yaml: model {endpoint.name} has the role {role!r}: use {FILLER} or {PLAUSIBILITY}"
                )
            if role in given:
                raise RoleInvalidError(
                    f"{file}.yaml: {given[role].name} and {endpoint.name} both have the role {role}: give it to one"
                )
            given[role] = endpoint
    return dict(sorted(given.items()))
