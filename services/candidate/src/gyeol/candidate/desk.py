"""Puts an order together: who is asked, who judges and who writes for one record."""

from __future__ import annotations

from gyeol.api.candidate.v1.candidate_pb2 import CandidatesWritten, WriteCandidatesRequest
from gyeol.api.failure.v1.failure_pb2 import RecordDropped
from gyeol.candidate.convert import checked, dropped_to_pb, material_from_pb, subject_from_pb, written_to_pb
from gyeol.candidate.domain.usage import Spending
from gyeol.candidate.judge import JudgePanels
from gyeol.candidate.mining import AsWrapped, Attacker, NotMined
from gyeol.candidate.model import AttackModel, Lines, TargetModel
from gyeol.candidate.service import Order, Writing
from gyeol.candidate.writer import Desks
from gyeol.chassis.clock import Clock


class Desk:
    """Works on records for both doors."""

    def __init__(
        self, writing: Writing, lines: Lines, desks: Desks, panels: JudgePanels, clock: Clock, *, attacker: str
    ) -> None:
        self._writing = writing
        self._lines = lines
        self._desks = desks
        self._panels = panels
        self._clock = clock
        self._attacker = attacker

    async def work(self, record: WriteCandidatesRequest, spending: Spending) -> CandidatesWritten | RecordDropped:
        """The written candidates, or the drop of a record that could not be mined."""
        outcome = await self._writing.work(self._order(checked(record)), spending)
        if isinstance(outcome, NotMined):
            return dropped_to_pb(record, outcome, self._clock.now())
        return written_to_pb(record, outcome)

    def _order(self, record: WriteCandidatesRequest) -> Order:
        run = record.run
        payer = run.run_id if run.budgeted else None
        endpoints = run.endpoints or "builtin"
        target = run.target
        named = (
            self._lines.at(target.name or target.model, target.base_url, target.model, target.revision)
            if target.base_url
            else target.name
        )
        attacker: Attacker = AsWrapped()
        if self._attacker:
            attacker = AttackModel(self._lines.attacker(self._attacker, endpoints, payer))
        return Order(
            subject=subject_from_pb(record),
            system_prompt=record.policy.system_prompt,
            material=material_from_pb(record.policy, dict(record.seed.slots)),
            target=TargetModel(self._lines.target(named, endpoints, payer)),
            judges=self._panels.panel(record),
            attacker=attacker,
            writers=self._desks.writers(tuple(run.writers), endpoints, payer),
        )
