"""Courses on edX: how popular a course is, and how many of its participants were certified."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from lincon.data.kinds.entry import KIND, FileEntry
from lincon.errors import UserError

if TYPE_CHECKING:
    from lincon.data.stand_in import Facts

COLUMNS = ("Institution", "Course Number", "Short Title1", "Participants", "Certified")


def facts() -> Facts:
    """What is published of the 290 courses."""
    from lincon.data.stand_in import Facts, along

    top = (0.2106, 0.2163, 0.4292, 0.5586, 0.8620)
    return Facts(
        mean=along(
            290,
            (0.0, 1.0),
            (0.0012, 0.0038, 0.0116, 0.0252, 0.0589, 0.1039, 0.1593, 0.4434),
            dict(zip(range(284, 289), top, strict=True)),
        ),
        value=along(
            290,
            (0.0, 0.339454),
            (0.0048, 0.0106, 0.0241, 0.0595, 0.1069, 0.1621, 0.2276, 0.3210),
            {3: 0.0},  # four courses certified nobody
        ),
        # The value of arm 65 is listed as .0051; r* and x* give it to more digits.
        optimal={65: (1.0, 0.0050583), 249: (0.207431, 0.092220)},
        listed=(
            *zip(top, (0.0588, 0.0507, 0.0111, 0.0025, 0.0047), strict=True),
            *((0.1944, 0.0925), (0.1784, 0.0972), (0.1736, 0.0963), (0.1889, 0.0871)),
            (0.0959, 0.1686),
        ),
        ceiling=0.0959 * 0.1686,
        tilt=0.235,
    )


class EdxCourses(FileEntry):
    """courses of the HarvardX and MITx report, one row each"""

    kind: Literal["edx_courses"] = Field(description=KIND)

    mean_is = "`Participants`, min-max normalised over the courses"
    value_is = "`Certified / Participants`"
    facts = staticmethod(facts)

    def extract(self, raw: Sequence[Path]) -> dict[str, Any]:
        import pandas as pd

        (path,), provenance = self.pinned(raw)
        try:
            table = pd.read_csv(path, usecols=list(COLUMNS), thousands=",", encoding="utf-8-sig")
            participants, certified = (table[c].to_numpy(float) for c in COLUMNS[3:])
        except ValueError as error:
            raise UserError(f"{path} is not a table of courses: {error}") from None
        fewest, most = participants.min(initial=float("inf")), participants.max(initial=0)
        if not 0 < fewest < most:
            raise UserError(
                f"{path}: courses with participants, and not all with as many, are needed"
            )
        titles = table[list(COLUMNS[:3])].astype(str).agg(" ".join, axis=1)
        again = titles.groupby(titles).cumcount() + 1
        return provenance | {
            "mean": (participants - fewest) / (most - fewest),
            "value": certified / participants,
            "label": [t if n == 1 else f"{t} #{n}" for t, n in zip(titles, again, strict=True)],
            "rows": table.index + 2,
        }
