"""One self-contained HTML file per study; nothing in the data can be taken for HTML or code."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lincon.analysis.results import Results
from lincon.analysis.sweeps import Sweep
from lincon.files import write_text
from lincon.report.text import html_text


def build(
    record: Mapping[str, Any],
    results: Sequence[Results],
    sweeps: Sequence[Sweep],
    figure_folders: Sequence[str | Path],
    out: str | Path,
) -> None:
    """Write the page of a study."""
    titles = [one.title for one in [*results, *sweeps]]
    write_text(out, "".join(f"<h2>{html_text(title)}</h2>" for title in titles))
