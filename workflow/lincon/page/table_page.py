"""One table as a page of its own, for Snakemake's report: it sorts, and saves as CSV and LaTeX."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from lincon.page import assets, experiment_tables
from lincon.page.embed import data_uri
from lincon.page.tables import Table

if TYPE_CHECKING:
    from lincon.analysis.results import Results


def experiment_pages(results: Results) -> dict[str, str]:
    """File name -> its HTML: the league and the claims of an experiment."""
    standin = results.problem.note if results.problem.source == "standin" else ""
    made = (
        experiment_tables.league("league", results),
        experiment_tables.claims("claims", results),
    )
    return {f"{table.key}.html": _render(table, standin) for table in made}


def table_page(frame: pd.DataFrame, title: str, key: str = "table") -> str:
    """Any frame as a page; `key` is the name of the files to save.

    Where a column `source` says that rows are of stand-in arms, a banner above says so too.
    """
    return _render(Table(key, title, frame), _banner(frame))


def _render(table: Table, banner: str) -> str:
    return assets.render(
        "table.html.j2",
        table=table,
        links={
            "csv": data_uri(table.csv().encode(), "text/csv"),
            "tex": data_uri(table.latex().encode(), "text/plain"),
        },
        banner=banner,
        style=assets.text("style.css"),
        sorting=assets.text("tables.js"),
    )


def _banner(frame: pd.DataFrame) -> str:
    if not {"source", "dataset"} <= set(frame.columns):
        return ""
    names = sorted(frame.loc[frame["source"] == "standin", "dataset"].astype(str).unique())
    return f"Stand-in arms, not the real data: {', '.join(names)}." if names else ""
