"""Courses on edX: how popular a course is, and how many of its participants were certified."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from lincon.data.kinds.entry import KIND, FileEntry
from lincon.errors import UserError

COLUMNS = ("Institution", "Course Number", "Short Title1", "Participants", "Certified")


class EdxCourses(FileEntry):
    """courses of the HarvardX and MITx report, one row each"""

    kind: Literal["edx_courses"] = Field(description=KIND)

    stand_in = "edx_courses"

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        import pandas as pd

        path, provenance = self.pinned(raw)
        try:
            table = pd.read_csv(path, usecols=list(COLUMNS), thousands=",", encoding="utf-8-sig")
            short = table.index[table.isna().any(axis=1)]
            if table.empty or short.size:
                row = f"row {short[0] + 2} lacks one" if short.size else "it has no rows"
                raise ValueError(f"{row}; each row needs {', '.join(COLUMNS)}")
            participants, certified = (table[c].to_numpy(float) for c in COLUMNS[3:])
            if not participants.min() < participants.max():
                raise ValueError("all have as many participants, so none is the most popular")
        except ValueError as error:
            raise UserError(f"{path} is not a table of courses: {error}") from None
        fewest, most = participants.min(), participants.max()
        titles = table[list(COLUMNS[:3])].astype(str).agg(" ".join, axis=1)
        again = titles.groupby(titles).cumcount() + 1
        return provenance | {
            "mean": (participants - fewest) / (most - fewest),
            "value": certified / participants,
            "label": [t if n == 1 else f"{t} #{n}" for t, n in zip(titles, again, strict=True)],
            "rows": table.index + 2,
        }
