"""The map of an atlas: who wins where, by initials, families of policies in one colour."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon import __version__
from lincon.analysis.atlas import Atlas
from lincon.analysis.league import KEPT
from lincon.report.figures.parts import framed
from lincon.report.figures.style import PAGE, plt, size, width
from lincon.report.figures.sweeps import short
from lincon.report.palette import FAINT, families
from lincon.report.text import number

NOBODY = "#EFEFEF"
Policies = Mapping[str, Mapping[str, Any]]


def winners(atlas: Atlas, policies: Policies, about: Mapping[str, Any]) -> Figure:
    """Slack against number of arms, one panel per correlation; grey where no policy keeps it.

    `about` has the atlas' title, bound, horizon and runs.
    """
    panels = sorted(atlas.winners["correlation"].unique())
    figure, (grid,) = plt.subplots(
        1, len(panels), figsize=(width(PAGE), 2.4), squeeze=False, sharey=True
    )
    kept = atlas.winners[atlas.winners["group"] == KEPT]
    colours, names = families(policies), initials(policies)
    across, up = (sorted(atlas.winners[axis].unique()) for axis in ("slack", "arms"))
    for axes, correlation in zip(grid, panels, strict=True):
        rows = atlas.winners[atlas.winners["correlation"] == correlation]
        _cells(axes, rows, colours, names, across, up)
        axes.set(title=f"rank correlation {number(correlation)}", xlabel="slack above the floor")
    grid[0].set_ylabel("number of arms")
    for policy in kept["policy"].value_counts().index:
        label = f"{names[policy]}  {_label(policies, policy)}"
        grid[0].plot([], [], "s", ms=7, color=colours[policy], label=label)
    count = atlas.problems["problem"].nunique()
    foot = (
        f"{count:,} generated problems \u00b7 {about['bound']} \u00b7 T = {about['horizon']:,} "
        f"\u00b7 runs of each policy: {about['runs']:,} \u00b7 lincon {__version__}"
    )
    return framed(figure, f"{about['title']}: {_finding(atlas, policies)}", None, foot, grid[0])


def initials(policies: Policies) -> dict[str, str]:
    """Policy -> a few letters that stand for its label; the same twice get a number."""
    found: dict[str, str] = {}
    for policy in policies:
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", _label(policies, policy))
        short_form = "".join(word[0] for word in words)[:4] or "?"
        same = sum(re.sub(r"\d+$", "", other) == short_form for other in found.values())
        found[policy] = f"{short_form}{same + 1}" if same else short_form
    return found


def _label(policies: Policies, policy: str) -> str:
    return str(policies[policy].get("label", policy))


def _cells(
    axes: Axes,
    rows: pd.DataFrame,
    colours: Mapping[str, str],
    names: Mapping[str, str],
    across: list[float],
    up: list[float],
) -> None:
    """One square per cell in the colour of its winner's family, with initials and margin."""
    for _, row in rows.iterrows():
        x, y = across.index(row["slack"]), up.index(row["arms"])
        kept = row["group"] == KEPT
        colour = colours[row["policy"]] if kept else NOBODY
        axes.add_patch(
            plt.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", lw=1.0)
        )
        text = f"{names[row['policy']]}\n{_margin(row['margin'])}" if kept else "nobody"
        ink = "white" if kept else FAINT[0]
        axes.text(x, y, text.strip(), ha="center", va="center", fontsize=size(6), color=ink)
    axes.set(xlim=(-0.5, len(across) - 0.5), ylim=(-0.5, len(up) - 0.5))
    axes.set_xticks(range(len(across)), [short(x) for x in across])
    axes.set_yticks(range(len(up)), [short(x) for x in up])
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _margin(margin: float) -> str:
    if np.isnan(margin):
        return ""
    if np.isinf(margin):
        return "only"
    return f"\u00d7{margin:.2f}" if margin < 9.995 else f"\u00d7{margin:.0f}"


def _finding(atlas: Atlas, policies: Policies) -> str:
    """Who has the lowest mean rank where the constraint is to be kept."""
    first = atlas.ranks.iloc[0]
    name = _label(policies, first["policy"])
    kept = f"keeps the constraint on {first['keeps_on']:.0%} of problems"
    return f"{name} has the lowest mean rank, and {kept}"
