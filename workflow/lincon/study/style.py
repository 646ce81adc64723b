"""How figures look: the config's `style`. Names and values of parameters are Matplotlib's to check.

Matplotlib is loaded only where a style file or parameters are given: most plans need none of it.
"""

import os
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from lincon.errors import UserError
from lincon.typed import Distinct, PathText, Real, Record, did_you_mean

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
# What Matplotlib accepts and cannot draw, or not within memory: by the end of a parameter's name.
DRAWABLE = {"chunksize": (0, 1e6), "font.size": (1, 100), "dpi": (20, 1200), "size": (0, 100)}

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


def check(entry: Mapping[str, Any]) -> None:
    """Refuse, in a sentence, what the types cannot know to be wrong."""
    style = Style(**entry)
    inches = style.inches
    if inches is not None and not 2.0 <= inches <= 20.0:
        raise UserError(
            f"config: style.width is {style.width!r}, {inches:.3g} inches; allowed: 2 to 20 inches"
        )
    for name in sorted(OWN & set(style.rc)):
        raise UserError(
            f"config: style.rc.{name} cannot be set: figures are laid out to style.width, and "
            "their labels are plain text"
        )
    parameters(style)


def parameters(style: Style) -> dict[str, Any]:
    """What the file and then `rc` say, as Matplotlib understands it, without what is not theirs."""
    if not (style.file or style.rc):
        return {}
    read = {name: value for name, value in _of_file(style.file).items() if name not in OWN}
    read |= {name: _valid(name, value) for name, value in style.rc.items()}
    for name, value in read.items():
        at = f"config: style.{'rc.' if name in style.rc else 'file: '}{name} is {value}"
        if name == "axes.prop_cycle" and not len(value):
            raise UserError(f"{at}; allowed: at least one colour")
        low, high = next((DRAWABLE[end] for end in DRAWABLE if name.endswith(end)), (None, None))
        if low is not None and type(value) in (int, float) and not low <= value <= high:
            raise UserError(f"{at}; allowed: {low:g} to {high:g}")
    return read


def source(style: Style) -> list[str]:
    """The file that the style depends on: none where it names one of Matplotlib's own styles."""
    return [style.file] if os.path.isfile(style.file) else []


def _of_file(file: str) -> Mapping[Any, Any]:
    import matplotlib
    from matplotlib import style

    # Matplotlib would download an address, and wait for what a pipe may bring.
    if not os.path.isfile(file):
        if file and file not in style.library:
            raise UserError(
                f"config: style.file is {file!r}: No such file; allowed: a Matplotlib style file, "
                "or the name of a style that Matplotlib has"
            )
        return style.library.get(file, {})
    try:
        return matplotlib.rc_params_from_file(file, use_default_template=False)
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"config: style.file: {file} cannot be read: {error}") from None


def _valid(name: str, value: Any) -> Any:
    import matplotlib
    from cycler import cycler

    at = f"config: style.rc.{name}"
    if name not in matplotlib.rcParams:
        guess = did_you_mean(name, matplotlib.rcParams)
        raise UserError(f"{at} is not a parameter of Matplotlib{guess}")
    try:
        if name == "axes.prop_cycle" and isinstance(value, list):
            value = cycler(color=value)
        checked: Mapping[Any, Any] = matplotlib.RcParams({name: value})
    except Exception as error:  # of whatever type Matplotlib's checks happen to end in
        why = " ".join(str(error).split())
        raise UserError(f"{at} is {value!r}, which Matplotlib refuses: {why}") from None
    return checked[name]
