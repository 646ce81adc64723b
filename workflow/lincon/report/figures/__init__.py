"""The figures of a study: one implementation for papers, Snakemake's report and the page."""

from lincon.report.figures.draw import draw_experiment, draw_study, draw_sweep

__all__ = ["draw_experiment", "draw_study", "draw_sweep"]
