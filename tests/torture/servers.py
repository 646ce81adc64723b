"""Hostile servers, one by one and in a row, with and without a healthy one behind them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

from lincon.data.fetch import Unreachable, fetch
from lincon.data.raw import WrongBytes
from tests.hostile_servers import BODY, CAP, HOSTILE, IMPATIENT, MORE, SHA256, refused
from tests.server import Server, healthy
from tests.torture.kind import Attempt, Kind

EVERY = HOSTILE | MORE
Shared = tuple[list[Server], Path]


@contextmanager
def ready(folder: Path) -> Iterator[Shared]:
    """Four servers on this machine, asked directly even where a proxy is set up."""
    place = folder / "servers"
    place.mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        for name in ("NO_PROXY", "no_proxy"):
            patch.setenv(name, "127.0.0.1")
        yield [stack.enter_context(Server().running()) for _ in range(4)], place


def attempt(shared: Shared, rng: np.random.Generator, number: int) -> Attempt:
    """First each alone; then two or three in a row, half of the time with a healthy one last."""
    servers, place = shared
    for path in place.iterdir():  # what a failed attempt left is not the next one's fault
        path.unlink()
    if number < len(EVERY):
        name = list(EVERY)[number]
        refused(servers[0], place, *EVERY[name])
        return Attempt(name)
    names = [str(name) for name in rng.choice(list(EVERY), rng.integers(2, 4), replace=False)]
    rescued = bool(rng.random() < 0.5)
    for server, name in zip(servers, names, strict=False):
        server.files["data.csv"] = [EVERY[name][0]]
    servers[len(names)].files["data.csv"] = [healthy(BODY)]
    asked = [server.address for server in servers[: len(names) + rescued]]
    in_a_row(place, asked, [EVERY[name][1] for name in names], rescued)
    return Attempt(", then ".join([*names, "a healthy one"] if rescued else names))


def in_a_row(place: Path, mirrors: list[str], reasons: list[str], rescued: bool) -> None:
    arguments = ("data.csv", place, SHA256, None, mirrors, IMPATIENT, None, CAP)
    if rescued:
        assert fetch(*arguments).path.read_bytes() == BODY
        assert os.listdir(place) == ["data.csv"]
        (place / "data.csv").unlink()
        return
    with pytest.raises((Unreachable, WrongBytes)) as raised:
        fetch(*arguments)
    text = str(raised.value)
    missing = [word for word in (*reasons, *mirrors) if word not in text]
    assert not missing, f"{text!r} does not say {missing}"
    assert "\n" not in text and os.listdir(place) == []


KIND = Kind(
    "servers",
    "downloads from hostile servers: endless, dripping, lying, compressed, redirecting; in a row",
    "refused with the reason, nothing kept, and a healthy mirror behind them is used",
    "servers and rows of servers",
    len(EVERY) + 30,
    ready,
    attempt,
)
