"""Paired outcomes of one metric: what every criterion looks at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Series:
    """One metric of one suite, paired item by item.

    All arrays have one entry per item, in the order of item ids; values are NaN where an item is unscored.
    """

    suite: str
    metric: str
    items: tuple[str, ...]
    strata: tuple[str, ...]
    clusters: Ints
    """Index of the item's cluster (mold), from 0."""
    baseline: Floats
    candidate: Floats
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Number of unscored items by `side/reason`."""

    @property
    def paired(self) -> npt.NDArray[np.bool_]:
        """Items that are scored on both sides."""
        return np.isfinite(self.baseline) & np.isfinite(self.candidate)

    @property
    def binary(self) -> bool:
        """Every scored value is 0 or 1."""
        values = np.concatenate([self.baseline, self.candidate])
        values = values[np.isfinite(values)]
        return bool(np.isin(values, (0.0, 1.0)).all())

    def only(self, mask: npt.NDArray[np.bool_]) -> Series:
        """The items that `mask` selects."""
        chosen = np.flatnonzero(mask)
        return Series(
            self.suite,
            self.metric,
            tuple(self.items[i] for i in chosen),
            tuple(self.strata[i] for i in chosen),
            self.clusters[chosen],
            self.baseline[chosen],
            self.candidate[chosen],
        )
