"""How figures look: the config's `style`. Names and values of parameters are Matplotlib's to check.

Matplotlib is loaded only where a style file or parameters are configured: most plans need none.
"""

import os
import re
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from lincon.typed import Distinct, PathText, Real, Record

# Inches. Columns and text widths of AISTATS and ICML, which fit into those of most journals.
WIDTHS = {"single": 3.25, "double": 6.75}
WIDTH = r"^(single|double|[0-9]+(\.[0-9]+)? *(in|cm|mm))$"
INCHES = {"in": 1.0, "cm": 1.0 / 2.54, "mm": 1.0 / 25.4}
# Figures are laid out by these, labels are plain text (a dollar is a dollar), and a colour belongs
# to a policy.
FIXED = re.compile(
    r"backend|text\.(usetex|parse_math)|svg\.(hashsalt|fonttype)|axes\.formatter\..*"
    r"|axes\.prop_cycle|savefig\.(bbox|format)|figure\.(figsize|autolayout|hooks|constrained_layout\.use|subplot\..*)"
)
Panel = Literal["regret", "violation", "reward", "ratio", "joint", "composite", "shortfall"]


class Style(Record):
    file: PathText = Field(
        "", description="a Matplotlib style file, or the name of a style that Matplotlib has"
    )
    rc: dict[str, str | bool | int | float | list[Any] | None] = Field(
        {},
        description="Matplotlib's parameters (rcParams) by name, which win over the file's",
    )
    width: Annotated[Real, Field(ge=2, le=20)] | Annotated[str, Field(pattern=WIDTH)] = Field(
        "",
        description="the width of every figure: single or double (columns), a text such as 89 mm, "
        "or inches; by default each figure has its own",
    )
    panels: Annotated[Distinct[Panel], Field(min_length=1)] = Field(
        ["regret", "violation", "reward", "ratio"],
        description="the metrics of the figure `panels`, in this order",
    )
    basis: Literal["expected", "realised"] = Field(
        "expected",
        description="the figure `panels` shows expected sums (the paper's equations) or realised "
        "ones (the paper's figures)",
    )
    formats: Annotated[Distinct[Literal["png", "pdf", "svg"]], Field(min_length=1)] = Field(
        ["png", "pdf"],
        description="the files of each figure; png and svg are always made, for the page",
    )
    title: bool = Field(
        True, description="whether a figure has a title; that arms are stand-ins is always stated"
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
        """The formats, with those that the page shows."""
        return tuple(dict.fromkeys(("png", "svg", *self.formats)))

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        """Refuse mistakes that the types allow."""
        if self.inches is not None and not 2.0 <= self.inches <= 20.0:
            raise ValueError(
                f".width is {self.width!r}, {self.inches:.3g} inches; allowed: 2 to 20 inches"
            )
        for name in filter(FIXED.fullmatch, sorted(self.rc)):
            raise ValueError(
                f".rc.{name} cannot be set: figures are laid out to style.width, their labels are "
                "plain text, and a policy's colour is in its entry"
            )
        font = parameters(self).get("font.size", 8.0)
        if not 1.0 <= font <= 100.0:
            raise ValueError(f"has font.size {font:g}; allowed: 1 to 100")
        return self


def parameters(style: Style) -> dict[str, Any]:
    """The parameters of the file and then of `rc`, as Matplotlib reads them."""
    if not (style.file or style.rc):
        return {}
    import matplotlib
    from matplotlib.style import library

    # Refuse URLs and pipes: Matplotlib would download or block on them.
    if style.file and style.file not in library and not source(style):
        raise ValueError(
            f".file is {style.file!r}, which is not there; allowed: a Matplotlib style file, or "
            "the name of a style that Matplotlib has"
        )
    try:
        values: dict[Any, Any] = dict(library.get(style.file, {}))
        for file in source(style):
            values = dict(matplotlib.rc_params_from_file(file, use_default_template=False))
        values = {name: value for name, value in values.items() if not FIXED.fullmatch(name)}
        return values | dict(matplotlib.RcParams(style.rc))
    except Exception as error:  # Matplotlib's checks raise exceptions of many types
        raise ValueError(f"is refused by Matplotlib: {' '.join(str(error).split())}") from None


def source(style: Style) -> list[str]:
    """The file that the style depends on: none where it names one of Matplotlib's own styles."""
    return [style.file] if os.path.isfile(style.file) else []
