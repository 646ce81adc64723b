"""The page of a study: one HTML file with its figures and tables."""

from lincon.report.page.build import build

__all__ = ["build"]
