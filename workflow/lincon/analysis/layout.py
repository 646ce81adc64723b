"""The files of an experiment's tables; it loads nothing, as the workflow's rules read it too."""

FRAMES = ("summary", "theory", "plays", "outcomes", "league", "growth", "claims")
# What lincon.analysis.results reads back, and what is written beside it for readers.
RESULT_FILES = ("results.json", "arms.parquet", *(f"{name}.parquet" for name in FRAMES))
_TEXTS = ("claims", "league", "growth")
TEXT_FILES = tuple(f"{name}.{suffix}" for name in _TEXTS for suffix in ("md", "tex"))
# The tables over all settings of a study.
STUDY_TEXT_FILES = ("assumptions.md", "assumptions.tex", "final.md", "final.tex")
# An atlas: its frames, its text, its pictures.
ATLAS_FILES = ("problems.parquet", "winners.parquet", "ranks.parquet", "atlas.md", "atlas.tex")
ATLAS_FIGURES = ("winners",)
