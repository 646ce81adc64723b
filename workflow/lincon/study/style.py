"""How figures look: the config's `style` as a record, checked by Matplotlib's own rules.

Matplotlib is loaded only where a style file or parameters are given: most plans need none of it.
"""

from __future__ import annotations

import difflib
import logging
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lincon.errors import UserError

# Inches. Columns and text widths of AISTATS and ICML, which fit into those of most journals.
WIDTHS = {"single": 3.25, "double": 6.75}
INCHES = {"in": 1.0, "cm": 1.0 / 2.54, "mm": 1.0 / 25.4}
# What figures are laid out by, and that a label is text: a dollar is a dollar.
OWN = frozenset(
    {
        *("backend", "figure.figsize", "figure.autolayout", "figure.constrained_layout.use"),
        *("savefig.bbox", "savefig.format", "svg.hashsalt", "text.usetex", "text.parse_math"),
        *("axes.formatter.use_mathtext", "axes.formatter.limits"),
    }
)


@dataclass(frozen=True)
class Style:
    """`width` is as the config has it: a name, a text with its unit, or inches; '' leaves each
    figure its own. `scales` are `linear` or `log` by what an axis shows."""

    file: str = ""
    rc: Mapping[str, Any] = field(default_factory=dict)
    width: str | float = ""
    scales: Mapping[str, str] = field(default_factory=dict)
    panels: tuple[str, ...] = ("regret", "violation", "reward", "ratio")
    formats: tuple[str, ...] = ("png", "pdf")
    title: bool = True
    footer: bool = True

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Style:
        """The style of a config's entry, which holds what differs from the defaults."""
        lists = {key: tuple(entry[key]) for key in ("panels", "formats") if key in entry}
        return cls(**dict(entry) | lists)

    @property
    def inches(self) -> float | None:
        """The width of every figure; None, each has its own."""
        if isinstance(self.width, str):
            return WIDTHS.get(self.width) or _inches(self.width)
        return float(self.width)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The formats, PNG first: the page and reports show it, so it is always there."""
        return ("png", *(name for name in dict.fromkeys(self.formats) if name != "png"))


def _inches(width: str) -> float | None:
    if not width:
        return None
    number, unit = re.fullmatch(r"([0-9.]+) *([a-z]+)", width).groups()  # type: ignore[union-attr]
    return float(number) * INCHES[unit]


def check(entry: Mapping[str, Any]) -> None:
    """Refuse, in a sentence, what the schema cannot know to be wrong."""
    where, style = "config: style", Style.of(entry)
    inches = style.inches
    if inches is not None and not 2.0 <= inches <= 20.0:
        raise UserError(
            f"{where}.width is {style.width!r}, {inches:.3g} inches; allowed: 2 to 20 inches"
        )
    for name in sorted(OWN & set(style.rc)):
        raise UserError(
            f"{where}.rc.{name} cannot be set: figures are laid out to style.width, and their "
            "labels are plain text (for the fonts of a TeX document add pgf to style.formats)"
        )
    if style.file or style.rc:
        parameters(style, where)
    if "pgf" in style.formats:
        _check_tex(style, where)


def parameters(style: Style, where: str = "style") -> dict[str, Any]:
    """What the file and then `rc` say, as Matplotlib understands it, without what is not theirs."""
    read = {name: value for name, value in _of_file(style, where).items() if name not in OWN}
    return read | {name: _valid(name, value, where) for name, value in style.rc.items()}


def source(style: Style) -> list[str]:
    """The file that the style depends on: none where it names one of Matplotlib's own styles."""
    return [style.file] if style.file and not _is_builtin(style.file) else []


def _is_builtin(name: str) -> bool:
    from matplotlib import style

    return name in style.library and not Path(name).exists()


def _of_file(style: Style, where: str) -> Mapping[str, Any]:
    if not style.file:
        return {}
    import matplotlib

    if _is_builtin(style.file):
        return {str(name): v for name, v in matplotlib.style.library[style.file].items()}
    # Matplotlib would download an address, and wait for what a pipe may bring.
    if not os.path.isfile(style.file):
        raise UserError(
            f"{where}.file is {style.file!r}: No such file; allowed: a Matplotlib style file, or "
            "the name of a style that Matplotlib brings"
        )
    said = _Said()
    logger = logging.getLogger("matplotlib")
    logger.addHandler(said)
    try:
        read = matplotlib.rc_params_from_file(style.file, True, use_default_template=False)
    except OSError as error:
        raise UserError(
            f"{where}.file is {style.file!r}, which cannot be read ({error.strerror}); allowed: "
            "a Matplotlib style file, or the name of a style that Matplotlib brings"
        ) from None
    except (UnicodeDecodeError, ValueError) as error:
        raise UserError(
            f"{where}.file: {style.file} is no style file: {_one_line(error)}"
        ) from None
    finally:
        logger.removeHandler(said)
    if said.lines:
        raise UserError(f"{where}.file: {said.lines[0]}")
    return {str(name): value for name, value in read.items()}


class _Said(logging.Handler):
    """What Matplotlib only warns of: names that it does not know, lines that it cannot read."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage().strip().splitlines()[0])


def _valid(name: str, value: Any, where: str) -> Any:
    import matplotlib
    from cycler import cycler

    if name not in matplotlib.rcParams:
        close = difflib.get_close_matches(name, list(matplotlib.rcParams), 1)
        guess = f" (did you mean {close[0]}?)" if close else ""
        raise UserError(f"{where}.rc.{name} is not a parameter of Matplotlib{guess}")
    try:
        if name == "axes.prop_cycle" and isinstance(value, list):
            value = cycler(color=value)
        checked: Mapping[Any, Any] = matplotlib.RcParams({name: value})
        return checked[name]
    except (ValueError, TypeError) as error:
        raise UserError(
            f"{where}.rc.{name} is {value!r}, which Matplotlib refuses: {_one_line(error)}"
        ) from None


def _check_tex(style: Style, where: str) -> None:
    """A picture in PGF is text for TeX to set, so TeX has to say how large it will be."""
    program = parameters(style, where).get("pgf.texsystem", "pdflatex")
    if shutil.which(program) is None:
        raise UserError(
            f"{where}.formats has pgf, which needs {program} to measure text, but it is not "
            "installed here; install TeX, or ask for pdf or svg"
        )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
