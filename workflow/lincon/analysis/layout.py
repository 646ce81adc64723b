"""The files of an experiment's tables; it loads nothing, as the workflow's rules read it too."""

from __future__ import annotations

FRAMES = ("summary", "theory", "plays", "outcomes", "league", "claims")
# What lincon.analysis.results reads back, and what is written beside it for readers.
RESULT_FILES = ("results.json", *(f"{name}.parquet" for name in FRAMES))
TEXT_FILES = ("claims.md", "league.md", "league.tex")
# An atlas: its frames, its text, its pictures.
ATLAS_FRAMES = ("problems", "winners", "profiles", "ranks")
ATLAS_FILES = (*(f"{name}.parquet" for name in ATLAS_FRAMES), "atlas.md")
ATLAS_FIGURES = ("map", "profiles", "ranks")
