"""How figures look: the config's `style`, checked by Matplotlib's own rules.

Matplotlib is loaded only where a style file or parameters are given: most plans need none of it.
"""

from __future__ import annotations

import io
import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from lincon.errors import UserError
from lincon.typed import Distinct, PathText, Real, Record, did_you_mean

# Inches. Columns and text widths of AISTATS and ICML, which fit into those of most journals.
WIDTHS = {"single": 3.25, "double": 6.75}
INCHES = {"in": 1.0, "cm": 1.0 / 2.54, "mm": 1.0 / 25.4}
# What figures are laid out by, and that a label is text: a dollar is a dollar.
OWN = frozenset(
    {
        *("backend", "figure.figsize", "figure.autolayout", "figure.constrained_layout.use"),
        *(
            "figure.hooks",
            "savefig.bbox",
            "savefig.format",
            "svg.hashsalt",
            "text.usetex",
            "text.parse_math",
        ),
        *("axes.formatter.use_mathtext", "axes.formatter.limits", "figure.hooks"),
        *(f"figure.subplot.{side}" for side in ("left", "right", "bottom", "top")),
    }
)
# What would take more memory than there is: by the end of a parameter's name, the lowest and
# the highest value.
DRAWABLE = {
    "chunksize": (0.0, 1e6),
    "font.size": (1.0, 100.0),
    "dpi": (20.0, 1200.0),
    "size": (0.0, 100.0),
}

Panel = Literal["regret", "violation", "reward", "ratio", "joint", "composite", "shortfall"]
Axis = Literal["round", "swept", "regret", "violation", "reward", "ratio", "joint", "composite"]


class Style(Record):
    """`width` is as the config has it: a name, a text with its unit, or inches; '' leaves each
    figure its own."""

    file: PathText = Field(
        "", description="a Matplotlib style file, or the name of a style that Matplotlib has"
    )
    rc: dict[str, str | bool | int | float | list[Any] | None] = Field(
        {},
        description="Matplotlib's parameters (rcParams) by name, which win over the file's; a list "
        "of colours for axes.prop_cycle",
    )
    width: (
        Annotated[Real, Field(ge=2, le=20)]
        | Annotated[
            str, StringConstraints(pattern=r"^(single|double|[0-9]+(\.[0-9]+)? *(in|cm|mm))$")
        ]
    ) = Field(
        "",
        description="the width of every figure: single or double (columns), a text such as 89 mm, "
        "or inches; by default each figure has its own",
    )
    scales: dict[Axis, Literal["linear", "log"]] = Field(
        {}, description="linear or log axes, by what they show"
    )
    panels: Annotated[Distinct[Panel], Field(min_length=1)] = Field(
        ["regret", "violation", "reward", "ratio"],
        description="the metrics of the figures panels and realised, in this order",
    )
    formats: Annotated[Distinct[Literal["png", "pdf", "svg"]], Field(min_length=1)] = Field(
        ["png", "pdf"],
        description="the files of each figure; png is always made, for the page and reports",
    )
    title: bool = Field(
        True, description="whether a figure has a title; that arms are stand-ins is always said"
    )
    footer: bool = Field(
        True,
        description="whether a line of provenance is in the picture; it is in the file's metadata "
        "otherwise",
    )

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Style:
        """The style of a config's entry, which holds what differs from the defaults."""
        return cls.model_validate(entry)

    @property
    def inches(self) -> float | None:
        """The width of every figure; None: each has its own."""
        if not isinstance(self.width, str):
            return float(self.width)
        unit = re.fullmatch(r"([0-9.]+) *([a-z]+)", self.width)
        return float(unit[1]) * INCHES[unit[2]] if unit else WIDTHS.get(self.width)

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The formats, PNG first: the page and reports show it, so it is always there."""
        return ("png", *(name for name in self.formats if name != "png"))


def check(entry: Mapping[str, Any]) -> None:
    """Refuse, in a sentence, what the types cannot know to be wrong."""
    where, style = "config: style", Style.of(entry)
    inches = style.inches
    if inches is not None and not 2.0 <= inches <= 20.0:
        raise UserError(
            f"{where}.width is {style.width!r}, {inches:.3g} inches; allowed: 2 to 20 inches"
        )
    for name in sorted(OWN & set(style.rc)):
        raise UserError(
            f"{where}.rc.{name} cannot be set: figures are laid out to style.width, and their "
            "labels are plain text"
        )
    if style.file or style.rc:
        _check_drawn(parameters(style, where), where)


def parameters(style: Style, where: str = "style") -> dict[str, Any]:
    """What the file and then `rc` say, as Matplotlib understands it, without what is not theirs."""
    read = {name: value for name, value in _of_file(style, where).items() if name not in OWN}
    for name, value in read.items():
        _check_drawable(f"{where}.file: {name}", name, value)
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
    allowed = "allowed: a Matplotlib style file, or the name of a style that Matplotlib has"
    # Matplotlib would download an address, and wait for what a pipe may bring.
    if not os.path.isfile(style.file):
        raise UserError(f"{where}.file is {style.file!r}: No such file; {allowed}")
    said = _Said()
    logger = logging.getLogger("matplotlib")
    logger.addHandler(said)
    try:
        read = matplotlib.rc_params_from_file(style.file, True, use_default_template=False)
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise UserError(
            f"{where}.file: {style.file} cannot be read as a style: {_one_line(error)}; {allowed}"
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

    at = f"{where}.rc.{name}"
    if name not in matplotlib.rcParams:
        guess = did_you_mean(name, matplotlib.rcParams)
        raise UserError(f"{at} is not a parameter of Matplotlib{guess}")
    try:
        if name == "axes.prop_cycle" and isinstance(value, list):
            value = cycler(color=value)
        checked: Mapping[Any, Any] = matplotlib.RcParams({name: value})
    except Exception as error:  # of whatever type Matplotlib's checks happen to end in
        raise UserError(
            f"{at} is {value!r}, which Matplotlib refuses: {_one_line(error)}"
        ) from None
    _check_drawable(at, name, checked[name])
    return checked[name]


def _check_drawable(at: str, name: str, value: Any) -> None:
    if name == "axes.prop_cycle" and not len(value):
        raise UserError(f"{at} is an empty list; allowed: at least one colour")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    low, high = next((b for end, b in DRAWABLE.items() if name.endswith(end)), (-1e6, 1e6))
    if not low <= value <= high:
        raise UserError(f"{at} is {value:g}; allowed: {low:g} to {high:g}")


def _check_drawn(read: Mapping[str, Any], where: str) -> None:
    """A small figure, since Matplotlib takes values with which it cannot draw; 0.1 s."""
    if _why_not_drawn(read) is None:
        return
    for name, value in read.items():
        if why := _why_not_drawn({name: value}):
            raise UserError(f"{where}: Matplotlib cannot draw with {name} = {value!r}: {why}")
    raise UserError(f"{where}: Matplotlib cannot draw with it: {_why_not_drawn(read)}")


def _why_not_drawn(read: Mapping[str, Any]) -> str | None:
    import matplotlib
    from matplotlib.figure import Figure

    given: Any = dict(read)
    try:
        with matplotlib.rc_context(given):
            figure = Figure(figsize=(2, 1))
            axes = figure.add_subplot(title="title", xlabel="x")
            axes.plot([1, 2], [1, 2], label="line")
            axes.scatter([1], [2])
            axes.imshow([[0, 1]])
            axes.grid()
            axes.legend()
            figure.savefig(io.BytesIO(), format="png")
    except Exception as error:
        return _one_line(error)
    return None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
