"""Outer-loop link adaptation (OLLA): what base stations do to keep a block error rate.

The SNR estimate x (in dB) is what remains of the channel's measurement after an offset: it falls by
`step` at every failure and rises by step (1 - floor) / floor at every success, so that it comes to
rest where the success rate is the floor. The inner loop sends at the largest rate that x carries,
R <= log2(1 + 10^(x / 10)). (Sampath, Kumar, Holtzman, VTC 1997, for power control; Pedersen et al.,
VTC 2007, for link adaptation.) It knows the order of the rates and learns no means. Anytime.

Adapted: there is no measurement of the channel, so the offset does all; x stays where the rates
are.
"""

import numpy as np


class OLLA:
    def __init__(self, problem, rng, highest=6.0, step=0.5):
        """`highest`: the rate in bits/s/Hz whose value is the largest."""
        (floor,) = problem.constraints
        if floor.sense != "at_least" or not ((floor.per_event == 1) & (floor.per_play == 0)).all():
            raise ValueError("OLLA keeps a success rate: one constraint {per_event: 1, at_least}")
        rates = highest * problem.values / problem.values.max()
        self.needed = 10.0 * np.log10(2.0**rates - 1.0)
        self.down, self.up = step, step * (1.0 - floor.bound) / floor.bound
        self.snr = self.needed.min()

    def choose(self, t):
        carried = np.where(self.needed <= self.snr, self.needed, -np.inf)
        return int(np.argmax(carried))

    def update(self, t, arm, event):
        moved = self.snr + (self.up if event else -self.down)
        self.snr = min(max(moved, self.needed.min()), self.needed.max())
