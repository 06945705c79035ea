"""The training group, as the environment of the process describes it.

`PyTorchJob` sets `MASTER_ADDR`, `MASTER_PORT`, `RANK`, `WORLD_SIZE` and `PET_*`; `torchrun` sets `LOCAL_RANK` beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gyeol.dpo.errors import ParameterError


@dataclass(frozen=True)
class Group:
    rank: int
    size: int
    """Processes, all nodes together."""

    @property
    def leads(self) -> bool:
        """True in the one process that writes and reports."""
        return self.rank == 0


def group(environment: Mapping[str, str]) -> Group:
    """Reads the group; a lone process is a group of one.

    Raises:
      ParameterError: RANK or WORLD_SIZE is no number, or they do not fit together.
    """
    try:
        rank, size = int(environment.get("RANK", "0")), int(environment.get("WORLD_SIZE", "1"))
    except ValueError:
        told = {name: environment.get(name) for name in ("RANK", "WORLD_SIZE")}
        raise ParameterError(f"RANK and WORLD_SIZE must be whole numbers, not {told}") from None
    if not 0 <= rank < size:
        raise ParameterError(f"RANK={rank} must be at least 0 and below WORLD_SIZE={size}")
    if size > 1 and not environment.get("MASTER_ADDR"):
        raise ParameterError(f"WORLD_SIZE={size} needs MASTER_ADDR and MASTER_PORT: where the processes meet")
    return Group(rank, size)
