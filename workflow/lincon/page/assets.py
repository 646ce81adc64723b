"""What the page is made with besides Python: templates, styles, scripts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

FOLDER = Path(__file__).parent / "templates"


@cache
def environment() -> jinja2.Environment:
    """Everything is escaped unless a template says otherwise; a forgotten name is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(template: str, **context: Any) -> str:
    return environment().get_template(template).render(**context)


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that needs no network."""
    import vl_convert

    # Its stub asks for a snippet of one's own; the function does not.
    return vl_convert.javascript_bundle()  # type: ignore[call-arg]
