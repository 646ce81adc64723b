"""What a play of an arm costs in composite regret: D_i = nu* - (r_i + lambda*) mu_i."""

from __future__ import annotations

import numpy as np

from lincon.data.arms import Arms

# Two arms count as equally good when their gaps differ by less than this.
TIE = 1e-12


def gaps(arms: Arms, price: float | None, level: float | None) -> np.ndarray:
    """D_i of every arm; NaN where there is no optimum.

    Exactly zero for the optimal arms: those in the support of x*, and all that tie with them.
    """
    if price is None or level is None:
        return np.full(len(arms), np.nan)
    gap = level - (arms.value + price) * arms.mean
    return np.where(gap < TIE, 0.0, gap)
