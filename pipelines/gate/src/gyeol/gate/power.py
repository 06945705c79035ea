"""What a paired comparison can see: power and minimal detectable effect.

Normal approximation for paired binary outcomes (Connor 1987): with discordance `psi` the standard error of the mean
difference `d` is `sqrt((psi - d^2) / n)`, under the null hypothesis `sqrt(psi / n)`.
Clusters count through the design effect `1 + (m - 1) * icc`; items of one mold are assumed to agree with `icc` 0.2 unless observed.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
from scipy import optimize

from gyeol.gate.series import Floats, Ints


def power(effect: float, n: float, discordance: float, alpha: float) -> float:
    """Probability that a one-sided paired test at `alpha` sees a true mean difference `effect` with `n` effective items."""
    if n <= 0 or effect <= 0:
        return alpha if n > 0 else 0.0
    psi = max(discordance, effect)
    null, alternative = sqrt(psi / n), sqrt(max(psi - effect**2, 1e-12) / n)
    critical = NormalDist().inv_cdf(1 - alpha) * null
    return float(NormalDist().cdf((effect - critical) / alternative))


def minimal_detectable_effect(n: float, discordance: float, alpha: float, wanted: float) -> float:
    """Smallest true mean difference that is seen with probability `wanted`; 1 when even a full swing would be missed."""
    if n <= 0 or power(1.0, n, discordance, alpha) < wanted:
        return 1.0
    return float(optimize.brentq(lambda effect: power(effect, n, discordance, alpha) - wanted, 1e-9, 1.0))


def effective_items(difference: Floats, clusters: Ints) -> float:
    """Items divided by the design effect that the clusters show: n x var(independent) / var(clustered), at most n."""
    n = len(difference)
    if n < 2:
        return float(n)
    centred = difference - difference.mean()
    independent = float((centred**2).sum())
    clustered = float((np.bincount(clusters, weights=centred) ** 2).sum())
    return n if clustered <= 0 or independent <= 0 else float(min(n, n * independent / clustered))
