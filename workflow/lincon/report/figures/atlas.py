"""The figures of an atlas: the map of winners, performance profiles, mean ranks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lincon.analysis.atlas import CRITERIA, Atlas
from lincon.report.figures import parts, scales
from lincon.report.figures.style import PAGE, cycle, plt, size, width
from lincon.report.figures.sweeps import short
from lincon.report.palette import FAINT, GREY_LINE, HUES, PROMINENT, families, looks

NOBODY = "#EFEFEF"
HEADINGS = {
    "joint": "joint regret, whoever keeps the constraint or not",
    "kept": "joint regret of those that keep the constraint",
}
Policies = Mapping[str, Mapping[str, Any]]


def winners(atlas: Atlas, policies: Policies) -> Figure:
    """Slack against number of arms, one panel per correlation, one row of panels per criterion."""
    panels = sorted(atlas.winners["correlation"].unique())
    figure, grid = plt.subplots(
        len(CRITERIA), len(panels), figsize=(width(PAGE), 3.9), squeeze=False, sharex=True,
        sharey=True,
    )  # fmt: skip
    won = list(dict.fromkeys(p for p in atlas.winners["policy"].value_counts().index if p))
    colours, names = families(policies), initials(policies)
    across, up = (sorted(atlas.winners[axis].unique()) for axis in ("slack", "arms"))
    for line, criterion in enumerate(CRITERIA):
        for axes, correlation in zip(grid[line], panels, strict=True):
            rows = atlas.winners
            rows = rows[(rows["criterion"] == criterion) & (rows["correlation"] == correlation)]
            _cells(axes, rows, colours, names, across, up)
            axes.set_title(f"rank correlation {correlation:g}" if line == 0 else "")
        what = "constraint kept" if criterion == "kept" else "any policy"
        grid[line][0].set_ylabel(f"{what}\nnumber of arms")
    for axes in grid[-1]:
        axes.set_xlabel("slack above the floor")
    for policy in won:
        label = f"{names[policy]}  {_label(policies, policy)}"
        grid[0][0].plot([], [], "s", ms=7, color=colours[policy], label=label)
    return figure


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
        colour = colours.get(row["policy"], NOBODY)
        axes.add_patch(
            plt.Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="white", lw=1.0)
        )
        text = f"{names[row['policy']]}\n{_margin(row['margin'])}" if row["policy"] else "nobody"
        ink = "white" if row["policy"] else FAINT[0]
        axes.text(x, y, text.strip(), ha="center", va="center", fontsize=size(6), color=ink)
    axes.set(xlim=(-0.5, len(across) - 0.5), ylim=(-0.5, len(up) - 0.5))
    axes.set_xticks(range(len(across)), [short(x) for x in across])
    axes.set_yticks(range(len(up)), [short(x) for x in up])
    axes.grid(visible=False)
    axes.tick_params(length=0)


def _margin(margin: float) -> str:
    if np.isnan(margin):
        return ""
    return (
        "only"
        if np.isinf(margin)
        else f"\u00d7{margin:.2f}"
        if margin < 9.995
        else f"\u00d7{margin:.0f}"
    )


def profiles(atlas: Atlas, policies: Policies) -> Figure:
    """One panel per criterion; the policies that stand out have a colour, the others are grey."""
    figure, panels = parts.side_by_side(len(CRITERIA), 2.6, sharey=True)
    dressed = looks(policies, _prominent(atlas), cycle())
    for axes, criterion in zip(panels, CRITERIA, strict=True):
        rows = atlas.profiles[atlas.profiles["criterion"] == criterion]
        for policy, curve in rows.groupby("policy", sort=False):
            look = dressed[str(policy)]
            style = parts.line(look) | {"label": parts.entry(look)}
            axes.step(curve["factor"], curve["share"], where="post", **style)
        scales.log_axes(axes, "x")
        axes.set(xlim=(1, rows["factor"].max()), ylim=(0, 1.02))
        axes.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
        axes.set_title(parts.wrapped(HEADINGS[criterion], 46))
        axes.set_xlabel("factor of the best policy's joint regret")
    panels[0].set_ylabel("problems within the factor")
    muted = sum(look.muted for look in dressed.values())
    if muted:
        panels[0].plot([], [], color=GREY_LINE[0], linewidth=0.8, label=parts.others(muted))
    return figure


def _prominent(atlas: Atlas) -> list[str]:
    """The policies with the lowest mean ranks under the criteria, in turn, each once."""
    tables = [atlas.ranks[atlas.ranks["criterion"] == c]["policy"].tolist() for c in CRITERIA]
    in_turn = [name for pair in zip(*tables, strict=True) for name in pair]
    return list(dict.fromkeys(in_turn))[: PROMINENT + 1]


def ranks(atlas: Atlas, policies: Policies) -> Figure:
    """Mean rank with its interval over problems under both criteria, the best on top."""
    table = atlas.ranks[atlas.ranks["criterion"] == CRITERIA[0]]
    order = table["policy"].tolist()
    figure, (axes, beside) = plt.subplots(
        1, 2, figsize=(width(PAGE), 0.6 + 0.2 * len(order)), width_ratios=(2.2, 1.0), sharey=True
    )
    marks = zip(CRITERIA, HUES, ("o", "D"), (-0.14, 0.14), strict=False)
    for criterion, (colour, _), mark, shift in marks:
        rows = atlas.ranks[atlas.ranks["criterion"] == criterion].set_index("policy").loc[order]
        _dots(axes, rows, colour, mark, shift, f" {HEADINGS[criterion]}")
    names = [parts.wrapped(_label(policies, policy), 32, 1) for policy in order]
    axes.set_yticks(range(len(order)), names)
    axes.set_ylim(len(order) - 0.4, -0.6)
    axes.set_xlabel("mean rank over problems, with its 95% interval")
    shares = table.set_index("policy")["keeps_on"].loc[order]
    beside.barh(range(len(order)), shares, height=0.6, color="#9DB8C7")
    beside.set(xlim=(0, 1), xlabel="problems with the constraint kept")
    beside.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    for each in (axes, beside):
        each.tick_params(axis="y", length=0)
        each.grid(visible=False, axis="y")
    return figure


def _dots(axes: Axes, rows: pd.DataFrame, colour: str, mark: str, shift: float, label: str) -> None:
    places = np.arange(len(rows)) + shift
    for place, (_, row) in zip(places, rows.iterrows(), strict=True):
        if np.isfinite(row["ci_low"]):
            axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=colour, linewidth=1.6)
    axes.plot(
        rows["mean_rank"], places, mark, color=colour, ms=4, mec="white", mew=0.4, label=label
    )


def finding(atlas: Atlas, policies: Policies) -> str:
    """Who has the lowest mean rank where the constraint is to be kept."""
    first = atlas.ranks[atlas.ranks["criterion"] == CRITERIA[0]].iloc[0]
    name = _label(policies, first["policy"])
    kept = f"keeps the constraint on {first['keeps_on']:.0%} of problems"
    return f"{name} has the lowest mean rank, and {kept}"
