"""The interactive page of a study: one HTML file that opens without a network.

`build(study, results, sweeps, out)` writes it; `sentences(results)` is its answer as plain text;
`table_page(frame, title)` is one table as a page of its own, and `experiment_pages(results)` are
those of an experiment's league and claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lincon.page.record import Study, Sweep
from lincon.page.sentences import sentences
from lincon.page.table_page import experiment_pages, table_page

if TYPE_CHECKING:
    from lincon.analysis.results import Results

__all__ = ["Study", "Sweep", "build", "experiment_pages", "sentences", "sweep_of", "table_page"]


def build(study: Study, results: Sequence[Results], sweeps: Sequence[Sweep], out: Path) -> None:
    """Write the page of a study to `out`."""
    # Here, not above: the sentences need no chart library, which takes a second to load.
    from lincon.page.document import build as write

    write(study, results, sweeps, out)


def sweep_of(entry: Mapping[str, Any], files: Iterator[tuple[str, str]]) -> Sweep:
    """A sweep from what the rules know of it and the next of its summaries and problems."""
    from lincon.figures import sweeps

    here = islice(files, len(entry["points"]))
    points = [(*pair, point) for pair, point in zip(here, entry["points"], strict=True)]
    read = sweeps.read(points, entry["axes"])
    return Sweep(
        name=entry["name"],
        title=entry["title"],
        axes=tuple(entry["axes"]),
        values=read.values,
        states=read.states,
        policies=entry["looks"],
        source=read.problem.source,
        note=read.problem.note,
    )
