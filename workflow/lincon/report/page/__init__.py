"""The interactive page of a study: one HTML file that opens without a network.

`build(record, results, sweeps, figures, out)` writes it; `table_page(table)` is one table as a
page of its own, for Snakemake's report.
"""

from lincon.report.page.build import build, table_page

__all__ = ["build", "table_page"]
