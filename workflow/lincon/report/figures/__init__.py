"""The figures of a study: one implementation for papers, Snakemake's report and the page."""

from lincon.report.figures.draw import draw

__all__ = ["draw"]
