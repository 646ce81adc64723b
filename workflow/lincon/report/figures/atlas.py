"""The map of an atlas: who wins where, by initials, families of policies in one colour."""

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


def winners(
    atlas: Atlas, policies: Mapping[str, Mapping[str, Any]], about: Mapping[str, Any]
) -> Figure:
    """Slack against number of arms, one panel per correlation; grey where no policy keeps it.

    `about` has the atlas' title, bound, horizon and runs.
    """
    panels = sorted(atlas.winners["correlation"].unique())
    figure, (grid,) = plt.subplots(
        1, len(panels), figsize=(width(PAGE), 2.4), squeeze=False, sharey=True
    )
    labels = {policy: str(look.get("label", policy)) for policy, look in policies.items()}
    colours, names = families(policies), initials(labels)
    across, up = (sorted(atlas.winners[axis].unique()) for axis in ("slack", "arms"))
    for axes, correlation in zip(grid, panels, strict=True):
        for _, row in atlas.winners[atlas.winners["correlation"] == correlation].iterrows():
            _cell(axes, row, colours, names, across.index(row["slack"]), up.index(row["arms"]))
        axes.set(xlim=(-0.5, len(across) - 0.5), ylim=(-0.5, len(up) - 0.5))
        axes.set_xticks(range(len(across)), [short(x) for x in across])
        axes.set_yticks(range(len(up)), [short(x) for x in up])
        axes.grid(visible=False)
        axes.tick_params(length=0)
        axes.set(title=f"rank correlation {number(correlation)}", xlabel="slack above the floor")
    grid[0].set_ylabel("number of arms")
    for policy in atlas.winners.query("group == @KEPT")["policy"].value_counts().index:
        entry = f"{names[policy]}  {labels[policy]}"
        grid[0].plot([], [], "s", ms=7, color=colours[policy], label=entry)
    foot = (
        f"{atlas.problems['problem'].nunique():,} generated problems \u00b7 {about['bound']} "
        f"\u00b7 T = {about['horizon']:,} \u00b7 runs of each policy: {about['runs']:,} "
        f"\u00b7 lincon {__version__}"
    )
    first = atlas.ranks.iloc[0]
    kept = f"keeps the constraint on {first['keeps_on']:.0%} of problems"
    found = f"{labels[first['policy']]} has the lowest mean rank, and {kept}"
    return framed(figure, f"{about['title']}: {found}", None, foot, grid[0])


def initials(labels: Mapping[str, str]) -> dict[str, str]:
    """Policy -> a few letters that stand for its label; the same twice get a number."""
    found: dict[str, str] = {}
    for policy, label in labels.items():
        words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+", label)
        short_form = "".join(word[0] for word in words)[:4] or "?"
        same = sum(re.sub(r"\d+$", "", other) == short_form for other in found.values())
        found[policy] = f"{short_form}{same + 1}" if same else short_form
    return found


def _cell(
    axes: Axes, row: pd.Series, colours: Mapping[str, str], names: Mapping[str, str], x: int, y: int
) -> None:
    """A square in the colour of its winner's family, with initials and margin."""
    kept, margin = row["group"] == KEPT, row["margin"]
    colour = colours[row["policy"]] if kept else NOBODY
    axes.add_patch(
        plt.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", lw=1.0)
    )
    times = "" if np.isnan(margin) else "only" if np.isinf(margin) else f"\u00d7{margin:.2f}"
    times = f"\u00d7{margin:.0f}" if 9.995 <= margin < np.inf else times
    text = f"{names[row['policy']]}\n{times}".strip() if kept else "nobody"
    ink = "white" if kept else FAINT[0]
    axes.text(x, y, text, ha="center", va="center", fontsize=size(6), color=ink)
