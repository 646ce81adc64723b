"""How figures look: the config's `style`. Names and values of parameters are Matplotlib's to check.

Matplotlib is loaded only where a style file or parameters are given: most plans need none of it.
"""

import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from lincon.typed import Distinct, PathText, Real, Record

# Inches. Columns and text widths of AISTATS and ICML, which fit into those of most journals.
WIDTHS = {"single": 3.25, "double": 6.75}
WIDTH = r"^(single|double|[0-9]+(\.[0-9]+)? *(in|cm|mm))$"
INCHES = {"in": 1.0, "cm": 1.0 / 2.54, "mm": 1.0 / 25.4}
# What figures are laid out by, and that a label is text: a dollar is a dollar.
OWN = {
    *("backend", "figure.figsize", "figure.autolayout", "figure.constrained_layout.use"),
    *("figure.hooks", "savefig.bbox", "savefig.format", "svg.hashsalt", "text.usetex"),
    *("text.parse_math", "axes.formatter.use_mathtext", "axes.formatter.limits"),
    *(f"figure.subplot.{side}" for side in ("left", "right", "bottom", "top")),
}
COLOURS = "axes.prop_cycle"
# What Matplotlib accepts and cannot draw, or not within memory.
DRAWABLE = {"font.size": (1, 100), "figure.dpi": (20, 1200), "savefig.dpi": (20, 1200)}

Panel = Literal["regret", "violation", "reward", "ratio", "joint", "composite", "shortfall"]
Axis = Literal["round", "swept", "regret", "violation", "reward", "ratio", "joint", "composite"]


class Style(Record):
    file: PathText = Field(
        "", description="a Matplotlib style file, or the name of a style that Matplotlib has"
    )
    rc: dict[str, str | bool | int | float | list[Any] | None] = Field(
        {},
        description="Matplotlib's parameters (rcParams) by name, which win over the file's; a list "
        "of colours for axes.prop_cycle",
    )
    width: Annotated[Real, Field(ge=2, le=20)] | Annotated[str, Field(pattern=WIDTH)] = Field(
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

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        """Refuse what the types cannot know to be wrong."""
        if self.inches is not None and not 2.0 <= self.inches <= 20.0:
            raise ValueError(
                f".width is {self.width!r}, {self.inches:.3g} inches; allowed: 2 to 20 inches"
            )
        for name in sorted(OWN & set(self.rc)):
            raise ValueError(
                f".rc.{name} cannot be set: figures are laid out to style.width, and their labels "
                "are plain text"
            )
        read = parameters(self)
        for name, (low, high) in DRAWABLE.items():
            value = read.get(name)
            if isinstance(value, float) and not low <= value <= high:
                raise ValueError(f"has {name} {value:g}; allowed: {low} to {high}")
        return self


def parameters(style: Style) -> dict[str, Any]:
    """What the file and then `rc` say, as Matplotlib reads it, without what is not theirs."""
    if not (style.file or style.rc):
        return {}
    import matplotlib
    from cycler import cycler
    from matplotlib.style import library

    # Matplotlib would download an address, and wait for what a pipe may bring.
    if style.file and style.file not in library and not source(style):
        raise ValueError(
            f".file is {style.file!r}, which is not there; allowed: a Matplotlib style file, or "
            "the name of a style that Matplotlib has"
        )
    given: dict[str, Any] = dict(style.rc)
    try:
        if (colours := given.get(COLOURS)) and isinstance(colours, list):
            given[COLOURS] = cycler(color=colours)
        read: Mapping[Any, Any] = library.get(style.file, {})
        for file in source(style):
            read = matplotlib.rc_params_from_file(file, use_default_template=False)
        rc: Mapping[Any, Any] = matplotlib.RcParams(given)
    except Exception as error:  # of whatever type Matplotlib's checks happen to end in
        raise ValueError(f"is refused by Matplotlib: {' '.join(str(error).split())}") from None
    return {name: value for name, value in read.items() if name not in OWN} | dict(rc)


def source(style: Style) -> list[str]:
    """The file that the style depends on: none where it names one of Matplotlib's own styles."""
    return [style.file] if os.path.isfile(style.file) else []
