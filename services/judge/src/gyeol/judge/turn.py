"""Whose turn it is: which writer's answer was chosen for which record, in one order that all replicas share.

The order is a log of numbered keys in a store where the first writer of a key wins.
A replica reads the log to its end and appends; when somebody else took the number, it takes note and tries the next.
So a record is in the log once, its choice survives redelivery and crashes, and every choice is made on the full count.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from gyeol.chassis.store import KeyValue
from gyeol.judge.domain.ranking import turn

_RUNS: Final = 64
"""Runs whose logs are kept in memory; others are read again."""


@dataclass
class _Log:
    """What this replica has read of one run's log."""

    length: int = 0
    chosen: dict[str, str] = field(default_factory=dict)
    used: Counter[str] = field(default_factory=Counter)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    def note(self, entry: bytes) -> None:
        record, writer = json.loads(entry)
        self.length += 1
        self.chosen[record] = writer
        self.used[writer] += 1


class Turns:
    """Chooses among writers that share the first place."""

    def __init__(self, store: KeyValue) -> None:
        self._store = store
        self._logs: OrderedDict[str, _Log] = OrderedDict()

    async def choose(self, run_id: str, record_id: str, leaders: Sequence[str]) -> str:
        """The writer whose answers the run used least, or the one that was chosen for this record before."""
        log = self._log(run_id)
        async with log.lock:
            while (entry := await self._store.get(key(run_id, log.length))) is not None:
                log.note(entry)
            while record_id not in log.chosen:
                mine = json.dumps([record_id, turn(leaders, log.used)]).encode()
                log.note(await self._store.create(key(run_id, log.length), mine))
            stored = log.chosen[record_id]
            return stored if stored in leaders else turn(leaders, log.used)

    def _log(self, run_id: str) -> _Log:
        log = self._logs.setdefault(run_id, _Log())
        self._logs.move_to_end(run_id)
        while len(self._logs) > _RUNS:
            self._logs.popitem(last=False)
        return log


def key(run_id: str, number: int) -> str:
    """Key of one entry of a run's log; its value is `[record id, writer]` as JSON."""
    return f"{hashlib.sha256(run_id.encode()).hexdigest()[:32]}.{number}"
