"""What all figures share: the style in force, policies' looks, title, provenance and legend."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from lincon import __version__
from lincon.figures.style import MUTED, STYLE, WARNING, combined
from lincon.problem.record import Problem
from lincon.study.style import Style

COLUMN, PAGE = 3.4, 7.0  # widths in inches
# Below this width (in the usual font) panels are under each other, and a legend names the curves.
NARROW = 5.0
# Of the oracles, which are black: those of a figure are two at most, and told apart without names.
REFERENCES = (":", (0, (3, 1, 1, 1, 1, 1)))
DASHES = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))
# So many policies have a colour each; of more, so many stand out and the others are muted.
COLOURED, PROMINENT = 7, 5
FOOTER = 6  # points
SOURCES = {
    "real": "real data",
    "standin": "STAND-IN ARMS, NOT THE REAL DATA",
    "formula": "closed formula",
    "user": "user's arms",
    "generated": "generated arms",
}


@dataclass(frozen=True)
class Look:
    """How a policy is drawn: the same in every figure of an experiment."""

    label: str
    colour: str
    dashes: str | tuple = "-"
    width: float | None = None  # that of Matplotlib's lines
    muted: bool = False
    reference: bool = False

    @property
    def entry(self) -> str:
        """The label in a legend; a blank first, as Matplotlib leaves out what begins with _."""
        return f" {shortened(self.label)}"


def looks(
    policies: Mapping[str, Mapping[str, Any]], prominent: Sequence[str] | None = None
) -> dict[str, Look]:
    """Policy id -> look, from the config's labels and colours, else by order from the palette.

    With `prominent`, all policies but these and the references are muted.
    """
    result = {}
    place = oracles = 0
    colours, dashes = palette(), _dashes()
    for name, entry in policies.items():
        label = str(entry.get("label", name))
        if entry.get("reference"):
            colour, dash = entry.get("colour", "#000000"), REFERENCES[oracles % len(REFERENCES)]
            result[name] = Look(label, colour, dash, 1.2, reference=True)
            oracles += 1
        elif prominent is not None and name not in prominent:
            result[name] = Look(label, MUTED, "-", 0.8, muted=True)
        else:
            colour = entry.get("colour", colours[place % len(colours)])
            result[name] = Look(label, colour, dashes[place % len(dashes)])
            place += 1
    return result


# A figure's style is in force while it is drawn, as Matplotlib's own parameters are.
_STYLE: ContextVar[Style] = ContextVar("style", default=Style())  # noqa: B039 (it is frozen)


@contextmanager
def styled(style: Style | None = None) -> Iterator[None]:
    """What is drawn inside follows the style; without one, as lincon draws by itself."""
    style = style or Style()
    token = _STYLE.set(style)
    try:
        with plt.style.context(combined(style)):
            yield
        plt.close("all")
    finally:
        _STYLE.reset(token)


def chosen() -> Style:
    """The style in force."""
    return _STYLE.get()


def width(own: float) -> float:
    """The width of a figure in inches: that of the style, else its own."""
    return chosen().inches or own


def narrow() -> bool:
    """Whether the style asks for a column in which panels have no room beside each other."""
    inches = chosen().inches
    return inches is not None and inches < size(NARROW)


def size(points: float) -> float:
    """A font size that grows with Matplotlib's `font.size` as everything else does."""
    return points * plt.rcParams["font.size"] / STYLE["font.size"]


def scale(what: str, default: str = "linear") -> str:
    """Whether an axis of rounds, a swept value or a metric is linear or log."""
    return chosen().scales.get(what, default)  # type: ignore[call-overload]


def palette() -> list[str]:
    """The colours of policies, in their order: those of Matplotlib's cycle."""
    found = plt.rcParams["axes.prop_cycle"].by_key().get("color", ["black"])
    return [to_hex(colour) for colour in found]


def _dashes() -> Sequence[Any]:
    return plt.rcParams["axes.prop_cycle"].by_key().get("linestyle", DASHES)


def shortened(text: str, width: int = 40) -> str:
    """A long label, cut in its middle, where it says least."""
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    return f"{text[: width // 2]}\u2026{text[-(width - width // 2 - 1) :]}"


def title(figure: Figure, text: str, problem: Problem) -> None:
    """The figure's title; one drawn from stand-in arms says so in red, with or without a title."""
    letters = int(figure.get_figwidth() * 15 * 9 / size(9))
    text = textwrap.fill(textwrap.shorten(text, 3 * letters, placeholder=" \u2026"), letters)
    lines, colour = [text] * chosen().title, "black"
    if problem.source == "standin":
        lines, colour = [*lines, textwrap.fill(problem.note, letters)], WARNING
    if lines:
        figure.suptitle("\n".join(lines), color=colour, fontsize=size(9))


def footer(
    figure: Figure,
    problem: Problem,
    runs: int | None = None,
    horizon: int | None = None,
    swept: Sequence[str] = (),
    code: str = "",
    bands: str = "",
) -> None:
    """Provenance in the picture itself: it outlives the folder that the picture was in.

    `code` is the fingerprint in the runs' metadata, of the code that played them.
    """
    dataset = problem.dataset.split("@")[0] if swept else problem.dataset
    parts = [dataset, SOURCES.get(problem.source, problem.source), f"N = {problem.arms:,}"]
    if "eta" not in swept:
        parts.append(f"\u03b7 = {problem.eta:g}")
    if horizon is not None:
        parts.append(f"T = {horizon:,}")
    if runs is not None:
        parts.append(f"{runs:,} runs" if runs > 1 else "1 run")
    if bands:
        parts.append(f"95% bands {bands}")
    parts.append(f"lincon {__version__}" + (f", code {code[:7]}" if code else ""))
    lines = 2 if figure.get_figwidth() < 5 else 1
    while lines < len(parts) and _widest(_in_lines(parts, lines)) > figure.get_figwidth():
        lines += 1
    at_foot(figure, _in_lines(parts, lines))


def _in_lines(parts: Sequence[str], lines: int) -> str:
    each = -(-len(parts) // lines)
    chunks = [parts[start : start + each] for start in range(0, len(parts), each)]
    return "\n".join(" \u00b7 ".join(chunk) for chunk in chunks)


def _widest(text: str) -> float:
    """About how many inches a footer is wide; a letter is little more than half as wide as high."""
    return max(map(len, text.split("\n"))) * 0.52 * size(FOOTER) / 72.0


def at_foot(figure: Figure, text: str) -> None:
    """The line of provenance; the figure keeps it as its label, for the metadata of its files."""
    figure.set_label(" ".join(text.split()))
    if chosen().footer:
        figure.supxlabel(text, fontsize=size(FOOTER), color="#666666", x=0.01, ha="left")


def curves(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, Look], x: str = "t") -> None:
    """One curve a policy; muted ones first, so that they lie below, and without their bands."""
    for policy, look in sorted(looks.items(), key=lambda item: not item[1].muted):
        curve(axes, rows[rows["policy"] == policy], look, x)
    muted = [look for look in looks.values() if look.muted]
    if muted:
        axes.plot(
            [],
            [],
            color=MUTED,
            linewidth=0.8,
            label="1 other" if len(muted) == 1 else f"{len(muted)} others",
        )


def curve(axes: Axes, rows: pd.DataFrame, look: Look, x: str = "t") -> None:
    """Mean over runs with its 95% interval."""
    style: dict[str, Any] = {"color": look.colour, "linestyle": look.dashes}
    if look.width is not None:
        style["linewidth"] = look.width
    label = "_nolegend_" if look.muted else look.entry
    axes.plot(rows[x], rows["mean"], label=label, zorder=1.8 if look.muted else 2.2, **style)
    if rows["ci_low"].notna().any() and not look.muted and not look.reference:
        axes.fill_between(
            rows[x], rows["ci_low"], rows["ci_high"], color=look.colour, alpha=0.18, linewidth=0
        )


def side_by_side(count: int, height: float, **options: Any) -> tuple[Figure, np.ndarray]:
    """Panels in a row of this height, or one under the other in a column's width."""
    lines, columns = (count, 1) if narrow() else (1, count)
    high = 0.6 + lines * 0.75 * height if narrow() else height
    figure, axes = plt.subplots(lines, columns, figsize=(width(PAGE), high), **options)
    return figure, np.atleast_1d(axes)


def no_data(axes: Axes, text: str) -> None:
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color="#666666")


def prominent(rows: pd.DataFrame, looks: Mapping[str, Look]) -> pd.DataFrame:
    """The rows of the policies that stand out, which scale the axes; muted ones may leave them.

    Oracles are drawn without their bands, which need no room then.
    """
    kept = rows[rows["policy"].isin([policy for policy in looks if not looks[policy].muted])]
    bare = kept["policy"].isin([policy for policy in looks if looks[policy].reference])
    return kept.assign(ci_high=kept["ci_high"].mask(bare))


def legend_columns(labels: Sequence[str], width: float) -> int:
    """As many columns as fit into `width` inches: a letter takes 0.064, a handle and gaps 0.5."""
    points = FontProperties(size=plt.rcParams["legend.fontsize"]).get_size_in_points()
    width *= STYLE["legend.fontsize"] / points
    for columns in range(min(len(labels), 6), 1, -1):
        # Matplotlib fills column by column, the first ones with one label more.
        parts = np.array_split(np.array(labels, dtype=object), columns)
        if sum(0.5 + 0.064 * max(map(len, part)) for part in parts) <= width:
            return columns
    return 1


def shared_legend(figure: Figure, axes: Axes) -> None:
    """One legend above the panels, where it covers no curve, under the figure's title.

    Its lines beyond the second make the figure higher, not the panels lower.
    """
    heading = figure.get_suptitle()
    colour = figure._suptitle.get_color() if heading else "black"  # type: ignore[attr-defined]
    figure.suptitle("")
    handles, labels = axes.get_legend_handles_labels()
    columns = legend_columns(labels, figure.get_figwidth())
    further = max(0, -(-len(labels) // columns) - 2)
    points = FontProperties(size=plt.rcParams["legend.fontsize"]).get_size_in_points()
    figure.set_figheight(figure.get_figheight() + further * 1.5 * points / 72.0)
    legend = figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=columns,
        title=heading,
    )
    for text in legend.get_texts():
        text.set_text(text.get_text().strip())
    legend.get_title().set(color=colour, fontsize=size(9), multialignment="center")
