"""One table as a page of its own, for Snakemake's report: it sorts, and saves as CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from lincon.page import assets
from lincon.page.embed import data_uri
from lincon.page.tables import Table


def table_page(
    frame: pd.DataFrame,
    title: str,
    *,
    caption: str = "",
    names: Mapping[str, str] | None = None,
    key: str = "table",
) -> str:
    """The whole HTML; `names` are headings by column, `key` the name of the files to save.

    Where a column `source` says that rows are of stand-in arms, a banner above says so too.
    """
    table = Table(key, title, frame, names or {}, caption)
    links = {
        "csv": data_uri(table.csv().encode(), "text/csv"),
        "tex": data_uri(table.latex().encode(), "text/plain"),
    }
    return assets.render(
        "table.html.j2",
        table=table,
        links=links,
        banner=_banner(frame),
        style=assets.text("style.css"),
        sorting=assets.text("tables.js"),
    )


def _banner(frame: pd.DataFrame) -> str:
    if not {"source", "dataset"} <= set(frame.columns):
        return ""
    names = sorted(frame.loc[frame["source"] == "standin", "dataset"].astype(str).unique())
    return f"Stand-in arms, not the real data: {', '.join(names)}." if names else ""
