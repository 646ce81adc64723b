"""The figures of an atlas: the map of winners, performance profiles, mean ranks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from lincon.analysis.atlas import CRITERIA, MET, Atlas
from lincon.figures import drawing, scales
from lincon.figures.drawing import PAGE, Look
from lincon.figures.heat_map import short
from lincon.figures.style import PALETTE

# Of the winners only; a policy that wins nowhere needs no colour.
COLOURS = (*PALETTE, "#F0E442", "#8C564B", "#17BECF", "#9ACD32", "#000080", "#A0A0A0", "#FF9896")
NOBODY = "#EFEFEF"
HEADINGS = {
    "composite": "least composite regret",
    "floor": f"least composite regret of those that meet the floor in {MET:.0%} of runs or more",
}


def colours(atlas: Atlas, looks: Mapping[str, Look]) -> dict[str, str]:
    """A colour for every policy that wins a cell, those that win most first."""
    won = atlas.winners["policy"].value_counts(sort=True)
    names = [name for name in won.index if name in looks]
    return {name: COLOURS[place % len(COLOURS)] for place, name in enumerate(names)}


def winners_map(atlas: Atlas, looks: Mapping[str, Look], title: str) -> Figure:
    """Slack against number of arms, a panel a correlation, a row of panels a criterion."""
    panels = sorted(atlas.winners["correlation"].unique())
    figure, grid = drawing.plt.subplots(
        len(CRITERIA),
        len(panels),
        figsize=(drawing.width(PAGE), 5.2),
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    found = colours(atlas, looks)
    across, up = (sorted(atlas.winners[axis].unique()) for axis in ("slack", "arms"))
    for line, criterion in enumerate(CRITERIA):
        for axes, correlation in zip(grid[line], panels, strict=True):
            rows = atlas.winners
            rows = rows[(rows["criterion"] == criterion) & (rows["correlation"] == correlation)]
            _cells(axes, rows, found, across, up)
            axes.set_title(f"rank correlation {correlation:g}" if line == 0 else "")
        grid[line][0].set_ylabel(f"{'any policy' if line == 0 else 'floor met'}\nnumber of arms")
    for axes in grid[-1]:
        axes.set_xlabel("slack above the floor")
    labels = [looks[name].entry for name in found]
    handles = [
        Patch(color=colour, label=label)
        for label, colour in zip(labels, found.values(), strict=True)
    ]
    if (atlas.winners["policy"] == "").any():
        labels.append("none meets the floor")
        handles.append(Patch(facecolor=NOBODY, edgecolor="#999999", label=labels[-1]))
    columns = drawing.legend_columns(labels, drawing.width(PAGE) - 1.5)
    figure.legend(handles=handles, loc="outside upper center", ncols=columns, title=title)
    return figure


def _cells(
    axes: Axes,
    rows: pd.DataFrame,
    found: Mapping[str, str],
    across: list[float],
    up: list[float],
) -> None:
    """One square a cell in its winner's colour; inside, how many times as much the next has."""
    for _, row in rows.iterrows():
        x, y = across.index(row["slack"]), up.index(row["arms"])
        colour = found.get(row["policy"], NOBODY)
        axes.add_patch(
            drawing.plt.Rectangle(
                (x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", linewidth=1.0
            )
        )
        if row["policy"]:
            axes.text(
                x, y, _margin(row["margin"]), ha="center", va="center", fontsize=drawing.size(6.5),
                color=_ink(colour),
            )  # fmt: skip
    axes.set(xlim=(-0.5, len(across) - 0.5), ylim=(-0.5, len(up) - 0.5))
    axes.set_xticks(range(len(across)), [short(x) for x in across])
    axes.set_yticks(range(len(up)), [short(x) for x in up])
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _margin(margin: float) -> str:
    if np.isnan(margin):
        return ""
    return "only" if np.isinf(margin) else f"{margin:.2f}" if margin < 9.995 else f"{margin:.0f}"


def _ink(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else "white"


def profiles(atlas: Atlas, looks: Mapping[str, Look], title: str) -> Figure:
    """One panel a criterion; the policies that stand out have a colour, the others are grey."""
    figure, panels = drawing.side_by_side(len(CRITERIA), 3.4, sharey=True)
    chosen = prominent(atlas)
    for axes, criterion in zip(panels, CRITERIA, strict=True):
        rows = atlas.profiles[atlas.profiles["criterion"] == criterion]
        for policy, curve in rows.groupby("policy", sort=False):
            style: dict[str, Any] = {"color": "#C8C8C8", "linewidth": 0.8, "zorder": 1.8}
            if policy in chosen:
                place = chosen.index(str(policy))
                style = {"color": PALETTE[place], "linestyle": drawing.DASHES[place % 4]}
                style["label"] = looks[str(policy)].entry
            axes.step(curve["factor"], curve["share"], where="post", **style)
        scales.log_axes(axes, "x")
        axes.set(xlim=(1, rows["factor"].max()), ylim=(0, 1.02))
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
        axes.set_title(HEADINGS[criterion].replace(" of those", "\nof those"))
        axes.set_xlabel("factor of the best policy's composite regret")
    panels[0].set_ylabel("problems within the factor")
    others = len(looks) - len(chosen)
    if others:
        panels[0].plot([], [], color="#C8C8C8", linewidth=0.8, label=f" {others} others")
    figure.suptitle(title, fontsize=drawing.size(9))
    drawing.shared_legend(figure, panels[0])
    return figure


def prominent(atlas: Atlas) -> list[str]:
    """The policies with the least mean ranks under the criteria, in turn, each once."""
    tables = [atlas.ranks[atlas.ranks["criterion"] == c]["policy"].tolist() for c in CRITERIA]
    in_turn = [name for pair in zip(*tables, strict=True) for name in pair]
    return list(dict.fromkeys(in_turn))[: len(PALETTE) - 1]


def ranks(atlas: Atlas, looks: Mapping[str, Look], title: str) -> Figure:
    """Mean rank with its interval over problems under both criteria, the best on top."""
    plain = atlas.ranks[atlas.ranks["criterion"] == "composite"]
    order = plain["policy"].tolist()
    figure, (axes, beside) = drawing.plt.subplots(
        1,
        2,
        figsize=(drawing.width(PAGE), 1.3 + 0.2 * len(order)),
        width_ratios=(2.2, 1.0),
        sharey=True,
    )
    for criterion, colour, mark, shift in zip(
        CRITERIA, PALETTE, ("o", "D"), (-0.14, 0.14), strict=False
    ):
        rows = atlas.ranks[atlas.ranks["criterion"] == criterion].set_index("policy").loc[order]
        _dots(axes, rows, colour, mark, shift, f" {HEADINGS[criterion]}")
    axes.set_yticks(range(len(order)), [drawing.shortened(looks[p].label, 32) for p in order])
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("mean rank over problems, with its 95% interval")
    shares = plain.set_index("policy")["meets_floor_on"].loc[order]
    beside.barh(range(len(order)), shares, height=0.6, color="#9DB8C7")
    beside.set(xlim=(0, 1), xlabel="problems with the floor met")
    beside.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    beside.tick_params(axis="y", length=0)
    beside.grid(visible=False, axis="y")
    figure.suptitle(title, fontsize=drawing.size(9))
    drawing.shared_legend(figure, axes)
    return figure


def _dots(axes: Axes, rows: pd.DataFrame, colour: str, mark: str, shift: float, label: str) -> None:
    places = np.arange(len(rows)) + shift
    for place, (_, row) in zip(places, rows.iterrows(), strict=True):
        if np.isfinite(row["ci_low"]):
            axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=colour, linewidth=1.6)
    axes.plot(
        rows["mean_rank"], places, mark, color=colour, ms=4, mec="white", mew=0.4, label=label
    )
