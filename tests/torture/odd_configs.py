"""Odd configs: a shipped one with one to three mistakes."""

import copy
import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import yaml

from lincon.study.records import Config
from tests.workflow.bench import REPOSITORY

SHIPPED = sorted((REPOSITORY / "config").glob("*.yaml"))
# Odd values, in place of any other.
ODD: tuple[Any, ...] = (
    *(None, True, False, "", " ", "x", "nan", "inf", "1e-3", "0x10", "1_000", "\uff11\uff12", "-"),
    *(0, -0.0, -1, 1, 2, 3.5, 4.0, 7, 10**9, 10**30, -(10**18), 10**400, 2**63, 2**64),
    *(float("nan"), float("inf"), float("-inf"), 1e308, 1e-300, 5e-324, 1e-12, 1 + 1e-15, 0.5),
    *([], {}, [[]], [None], [float("nan")], [1, "a"], ["lincon_ts"], {"low": 0, "high": 1}),
    *({"low": 1, "high": 0, "count": 3}, {"low": 0.1, "high": 0.9, "count": 10**9}, {"": {}}),
    *({1: 2}, {None: 1}, {True: 1}, [0.1] * 2000, list(range(50)), {"low": "a"}),
    *(datetime.date(2020, 1, 1), datetime.datetime(2020, 1, 1, 12), b"\x00\xff", {1, 2}),
    *("a\nb", "a\tb", "a\x07b", "\u202eabc", "\ufeffx", "é" * 300, "x" * 100_000, "🎲"),
    *("$(touch pwned)", "`touch pwned`", "{x}", "{{x}}", "a/b", "../..", "/etc/passwd", "~", "-x"),
    *("=cmd", "<b>", "$x^2$", "\\frac{", "%s", "*", "lincon_ts@c_1", "con", "a" * 300),
)
LINES = (
    *("runs: 1:30", "runs: 0o17", "runs: 1e3", "runs: .inf", "runs: ~", "runs: yes", "? [a]\n: 1"),
    *("runs: !!python/object/apply:os.system [touch pwned]", "runs: !!float many", "x: !odd 1"),
    *("<<: {runs: 2}", "<<: [1]", "a: &a [*a]", "a: &a {b: *a}", "a: *nobody", "\tx: 1", "x"),
    *("- 1", "---\nruns: 2", "...\nruns: 2", "%YAML 9.9\n---\nruns: 1", "runs: |\n  4", "'", '"'),
    *("[", "{", "]", ": :", "runs: {", "@", "`", "!", "runs: 1\nruns: 2", "runs: 2020-01-01"),
    *("null: 1", "1: 2", "1.5: x", "true: 3", "'': 1", "runs: 'x", "# \x00", "runs: \x85 4"),
    *("only: ['~nobody/x', 'HTTP://[bad', 'a b']", 'only: ["a\\0b", "\\ud800"]'),
    *("style: {file: /dev/zero}", "style: {file: 'http://127.0.0.1:1/x'}", "__use_yte__: 1"),
    "policies: {mine: {python: 'sys:exit'}}\nexperiments: {edx: {policies: [mine]}}",
    "policies: {mine: {python: 'no.such:X', ../x: 1}}",
    "policies: {LINCON_TS: {estimator: truth, label: x}}",
)


def odd_config(rng: np.random.Generator) -> tuple[str, bytes]:
    """What was done to which config, and the file."""
    path = SHIPPED[rng.integers(len(SHIPPED))]
    data = path.read_bytes()
    if rng.random() < 0.35:
        change, data = another_text(data, rng)
        return f"{path.name}: {change}", data
    config, changes = yaml.safe_load(data), []
    for _ in range(rng.integers(1, 4)):
        changes.append(CHANGES[rng.integers(len(CHANGES))](config, rng))
    try:
        data = yaml.safe_dump(config, allow_unicode=True, sort_keys=False).encode()
    except UnicodeEncodeError:
        data = repr(config).encode("ascii", "backslashreplace")
    return f"{path.name}: {'; '.join(changes)}", data


# --- changes of what is in it

Mapping = dict[str, Any]


def place(config: Mapping, rng: np.random.Generator) -> tuple[Any, Any, str]:
    """A random mapping or list in it with a key of it, and its name."""
    node: Any = config
    name = []
    while True:
        keys = list(node) if isinstance(node, dict) else list(range(len(node)))
        key = keys[rng.integers(len(keys))]
        name.append(str(key))
        below = node[key]
        if not isinstance(below, dict | list) or not below or rng.random() < 0.25:
            return node, key, ".".join(name)
        node = below


def odd_value(rng: np.random.Generator) -> Any:
    return copy.deepcopy(ODD[rng.integers(len(ODD))])


def replaced(config: Mapping, rng: np.random.Generator) -> str:
    node, key, name = place(config, rng)
    node[key] = odd_value(rng)
    return f"{name} is {node[key]!r}"[:200]


def removed(config: Mapping, rng: np.random.Generator) -> str:
    node, key, name = place(config, rng)
    if len(config) > 1:
        del node[key]
    return f"{name} is gone"


def added(config: Mapping, rng: np.random.Generator) -> str:
    """An odd value beside another, or the same under an odd name."""
    node, key, name = place(config, rng)
    value = odd_value(rng)
    if isinstance(node, list):
        node.append(value)
    elif rng.random() < 0.5 or not isinstance(value, str | int | float | bool):
        node["unknown"] = value
    else:
        node[value] = node.pop(key)
    return f"beside {name}, or instead of its name: {value!r}"[:200]


def known_key(config: Mapping, rng: np.random.Generator) -> str:
    """A key of the schema with an odd value: most are not in any one file."""
    key = str(rng.choice(list(Config.model_fields)))
    config[key] = odd_value(rng)
    return f"{key} is {config[key]!r}"[:200]


CHANGES: tuple[Callable[[Mapping, np.random.Generator], str], ...] = (
    *(replaced, replaced, replaced, removed, added, added, known_key, known_key),
)


# --- changes of how it is written


def another_text(data: bytes, rng: np.random.Generator) -> tuple[str, bytes]:
    """The file with an odd line, with bits flipped, or cut off."""
    way, at = rng.integers(3), int(rng.integers(len(data)))
    if way == 0:
        odd, lines = LINES[rng.integers(len(LINES))], data.decode().splitlines()
        lines.insert(int(rng.integers(len(lines) + 1)), odd)
        return f"with the line {odd!r}", "\n".join(lines).encode()
    if way == 1:
        bits = bytearray(data)
        for one in rng.integers(len(bits), size=rng.integers(1, 20)):
            bits[one] ^= 1 << rng.integers(8)
        return "bits flipped", bytes(bits)
    return f"cut off at byte {at}", data[:at]
