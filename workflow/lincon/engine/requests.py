"""The kind of request in each round, the same for every policy of a run."""

from typing import NamedTuple, Self

import numpy as np

from lincon.engine.randomness import luck, luck_key
from lincon.jit import entry
from lincon.problem.program import Program


class Requests(NamedTuple):
    """The kinds of request, one where the problem has none.

    share float[K]: of each kind in all requests; its arms are `arm[first[k] : first[k + 1]]`, of
    int[N] and int[K + 1].
    """

    share: np.ndarray
    arm: np.ndarray
    first: np.ndarray
    key: np.ndarray

    @classmethod
    def new(cls, program: Program, seed: int, dataset: str) -> Self:
        arms, key = program.rows, luck_key(seed, f"{dataset}: kind")
        return cls(program.share, np.concatenate(arms), np.cumsum([0, *map(len, arms)]), key)


@entry
def kind_of_round(requests, run, t):
    """The kind of request that comes in round t, one keyed draw; 0 where there is one."""
    kind, last = 0, requests.share.size - 1
    if last > 0:
        uniform, total = luck(requests.key, run, t, 0), requests.share[0]
        while kind < last and uniform >= total:
            kind += 1
            total += requests.share[kind]
    return kind
