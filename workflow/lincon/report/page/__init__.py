"""The interactive page of a study: one HTML file that opens without a network.

`build(study, results, sweeps, figures, out)` writes it; `table_page(table)` is one table as a page
of its own, for Snakemake's report.
"""

from lincon.report.page.build import build, table_page
from lincon.report.page.record import Study

__all__ = ["Study", "build", "table_page"]
