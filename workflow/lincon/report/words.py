"""Words that sentences, titles and tables share: policies, bounds, amounts and money."""

from __future__ import annotations

from lincon.analysis.results import Results
from lincon.report import view
from lincon.report.text import interval, listed, number, one_line, percent


def label(results: Results, policy: str) -> str:
    return one_line(results.labels.get(policy, policy))


def amount(results: Results, j: int, x: float) -> str:
    """An average amount of constraint j: per cent where it is a share of the rounds."""
    return percent(x) if results.is_share(j) else number(x)


def bounds_of(results: Results) -> str:
    """The constraints in words: `floor 50%`, `correct \u2265 75%, acme \u2264 20%`."""
    return ", ".join(_bounds(results, "floor "))


def promise(results: Results) -> str:
    return listed(_bounds(results, "the floor of "))


def _bounds(results: Results, floor: str) -> list[str]:
    return [
        f"{floor}{percent(bound.bound)}"
        if bound.paper
        else f"{one_line(bound.name)} {bound.sign} {amount(results, bound.j, bound.bound)}"
        for bound in view.bounds(results.problem)
    ]


def money(results: Results, *numbers: float) -> str:
    """A reward, or a reward with its interval, in the user's units."""
    scaled = [x * results.scale for x in numbers]
    text = interval(*scaled) if len(scaled) == 3 else number(scaled[0])
    return f"{text} {results.unit}".rstrip()


def level(results: Results, j: int, x: float) -> str:
    """What constraint j comes to: `event rate 50%`, `75% correct`, `latency 3.2`."""
    name = one_line(results.names[j])
    if results.problem.goal.eta is not None:
        return f"event rate {percent(x)}"
    return f"{percent(x)} {name}" if results.is_share(j) else f"{name} {number(x)}"
