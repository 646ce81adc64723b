"""The keyed draws that decide events, in Python's integers."""

import hashlib

LOW = 0xFFFFFFFF


def philox4x32(counter: tuple[int, ...], key: tuple[int, ...]) -> tuple[int, ...]:
    """Philox4x32-10 in Python's integers."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(10):
        left, right = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (right >> 32) ^ c1 ^ k0, right & LOW, (left >> 32) ^ c3 ^ k1, left & LOW
        k0, k1 = (k0 + 0x9E3779B9) & LOW, (k1 + 0xBB67AE85) & LOW
    return c0, c1, c2, c3


def luck_key(seed: int, dataset: str) -> tuple[int, int]:
    digest = hashlib.sha256(f"'luck'\0{seed}\0{dataset!r}".encode()).digest()
    return int.from_bytes(digest[:4], "little"), int.from_bytes(digest[4:8], "little")


def luck(key: tuple[int, int], run: int, t: int, arm: int) -> float:
    """The first 53 random bits as a fraction, most significant first."""
    a, b, _, _ = philox4x32((t & LOW, arm, run, t >> 32), key)
    return ((a >> 5) << 26 | b >> 6) / 2**53
