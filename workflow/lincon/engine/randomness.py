"""Randomness: every draw and its key.

Three kinds of draw, and nothing else in the library is random:

- *event*: that of (seed, dataset, run, round, arm) is one counter-based draw (Philox4x32-10),
  so every policy of a run is played on the same events, without a table of horizon x arms;
- *choice*: a policy's own draws come from a stream keyed by (seed, dataset, goal, policy, run);
  the paper's goal is keyed by its eta;
- *means*: where they are uncertain, those of a run are drawn by (seed, dataset, run), the same for
  every policy.

None depends on the horizon, on the other runs, or on where and in which order jobs run.
"""

import hashlib

import numpy as np
from numba import uint32, uint64

from lincon.jit import entry

_M0, _M1 = uint64(0xD2511F53), uint64(0xCD9E8D57)
_W0, _W1 = uint32(0x9E3779B9), uint32(0xBB67AE85)
_LOW = uint64(0xFFFFFFFF)


@entry
def philox4x32(c0, c1, c2, c3, k0, k1):
    """Ten rounds of Philox4x32 (Salmon et al., SC 2011) on a 128-bit counter and a 64-bit key."""
    for _ in range(10):
        product0, product1 = _M0 * uint64(c0), _M1 * uint64(c2)
        high0, low0 = uint32(product0 >> uint64(32)), uint32(product0 & _LOW)
        high1, low1 = uint32(product1 >> uint64(32)), uint32(product1 & _LOW)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
        k0, k1 = uint32(k0 + _W0), uint32(k1 + _W1)
    return c0, c1, c2, c3


@entry
def luck(key, run, t, arm):
    """The uniform in [0, 1) that decides whether playing `arm` in round `t` of `run` pays."""
    a, b, _, _ = philox4x32(
        uint32(t & 0xFFFFFFFF), uint32(arm), uint32(run), uint32(t >> 32), key[0], key[1]
    )
    return (uint64(a >> uint32(5)) * 67108864.0 + uint64(b >> uint32(6))) / 9007199254740992.0


def _digest(*parts: object) -> bytes:
    return hashlib.sha256("\0".join(map(repr, parts)).encode()).digest()


def luck_key(seed: int, dataset: str) -> np.ndarray:
    digest = _digest("luck", int(seed), str(dataset))
    return np.frombuffer(digest[:8], dtype="<u4").astype(np.uint32)


def choice_stream(
    seed: int, dataset: str, goal: float | str, policy: str, run: int
) -> np.random.Generator:
    # NumPy's numbers print differently from Python's: a key is made of plain ones.
    plain = goal if isinstance(goal, str) else float(goal)
    return _stream("choice", int(seed), str(dataset), plain, str(policy), int(run))


def means_stream(seed: int, dataset: str, run: int) -> np.random.Generator:
    return _stream("means", int(seed), str(dataset), int(run))


def _stream(*parts: object) -> np.random.Generator:
    entropy = int.from_bytes(_digest(*parts)[:16], "little")
    return np.random.Generator(np.random.PCG64(entropy))
