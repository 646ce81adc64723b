"""The claims of one setting as a page of Markdown, and their tables as LaTeX."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lincon.analysis.claims import MEASUREMENT
from lincon.analysis.table import Table, latex_file
from lincon.analysis.text import markdown_text, number, one_line, percent
from lincon.problem.record import Problem

CLAIMS = (
    *("claim", "policy", "basis", "value", "against", "difference", "95% interval"),
    *("runs", "time", "alone", "verdict"),
)
NOTES = """\
`runs` and `time`: the share of runs, and of the rounds after the first N, in which it is so.
`alone` is the verdict of the row's own 95% interval (paired t; bootstrap-t for ratios), `verdict`
what is left of it when the number of claims in this table is corrected for (Holm). Growth is the
slope against log t over the last decade. C' is Lemma 2's coefficient, (1 + gamma)^2 times the sum
of 1 / d(mu_i, xi_i). It is that of T without end, and the bounds are given without their constants:
a number above them does not refute a theorem, it is "not yet at this T"."""
SHARPNESS = """\
A true difference of this size is found, at the 5% level and alone, in four experiments of five
(from the spread of these runs). The last column is what the common luck of paired runs leaves of
the variance of a difference: 0.5 means that unpaired runs would have to be twice as many."""
MEASUREMENTS = """\
C is the coefficient of the lower bound: no policy that is good on every problem grows more slowly
in the long run. The slope is that of the last decade; above 1, this T is short or the policy does
not reach the bound; below 1, this T is short."""


def tables(frame: pd.DataFrame, labels: Mapping[str, str]) -> dict[str, Table]:
    """The claims, what the runs can tell, and what is measured without a claim, by title."""
    names = {key: one_line(label) for key, label in labels.items()}
    measured = frame["kind"] == MEASUREMENT
    tested = frame[frame["detectable"].notna()]
    return {
        "Claims": Table(
            *(CLAIMS, "lllrrrrrrll"),
            [_claim_row(row, names) for _, row in frame[~measured].iterrows()],
            strong=len(CLAIMS) - 1,
        ),
        f"What {frame.iloc[0]['n_runs']} runs can tell": Table(
            ("quantity", "basis", "smallest difference found", "variance, paired / unpaired"),
            "llrr",
            [_sharpness_row(row) for _, row in tested.iterrows()],
        ),
        "Measured": Table(
            ("what", "policy", "value", "95% interval"),
            "llrr",
            [_measured_row(row, names) for _, row in frame[measured].iterrows()],
        ),
    }


def to_latex(frame: pd.DataFrame, problem: Problem, labels: Mapping[str, str]) -> str:
    return latex_file(tables(frame, labels), problem)


def to_markdown(frame: pd.DataFrame, problem: Problem, labels: Mapping[str, str]) -> str:
    """The claims of one setting; `labels` are the policies' names."""
    first = frame.iloc[0]
    names = {key: markdown_text(label) for key, label in labels.items()}
    claims, sharpness, measured = tables(frame, labels).items()
    lines = [
        f"# {claims[0]}: {markdown_text(problem.dataset)}, eta = {problem.eta:g}, "
        f"T = {first['horizon']:,}",
        "",
        *([f"**{problem.note}**", ""] if problem.source == "standin" else []),
        f"{_name(first['policy'], names)} against {_name(first['against'], names)}, "
        f"{first['n_runs']} runs. Differences at T, with 95% intervals over paired runs. "
        "A claim holds, or does not, if the whole interval says so; else it is undecided.",
        *("", *claims[1].markdown(), "", NOTES),
        *("", f"## {sharpness[0]}", "", *sharpness[1].markdown(), "", SHARPNESS),
        *("", f"## {measured[0]}", "", *measured[1].markdown(), "", MEASUREMENTS, ""),
    ]
    return "\n".join(lines)


def _claim_row(row: pd.Series, names: Mapping[str, str]) -> list[str]:
    cells = [row["claim"], _name(row["policy"], names), row["basis"]]
    cells += [number(row[name]) for name in ("value", "reference", "difference")]
    cells += [_interval(row["ci_low"], row["ci_high"])]
    cells += [percent(row["share_of_runs"]), percent(row["share_of_time"])]
    return [*cells, row["verdict_alone"], row["verdict"]]


def _sharpness_row(row: pd.Series) -> list[str]:
    gained = "" if np.isnan(row["variance_ratio"]) else f"{row['variance_ratio']:.2f}"
    return [row["quantity"], row["basis"], number(row["detectable"]), gained]


def _measured_row(row: pd.Series, names: Mapping[str, str]) -> list[str]:
    ends = row["ci_low"] + row["reference"], row["ci_high"] + row["reference"]
    return [row["claim"], _name(row["policy"], names), number(row["value"]), _interval(*ends)]


def _interval(low: float, high: float) -> str:
    return "none" if np.isnan(low) or np.isnan(high) else f"{number(low)} to {number(high)}"


def _name(policy: str, names: Mapping[str, str]) -> str:
    return names.get(policy, policy)
