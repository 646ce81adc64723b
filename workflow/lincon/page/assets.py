"""What the page is made with besides Python: templates, styles, scripts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jinja2

from lincon.files import user_cache, write_text

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
    """Vega, Vega-Lite and Vega-Embed as one script that needs no network.

    Putting it together takes half of a page's time, so it is kept for the next page.
    """
    import vl_convert

    def make() -> str:
        # Its stub asks for a snippet of one's own; the function does not.
        return vl_convert.javascript_bundle()  # type: ignore[call-arg]

    folder = user_cache()
    if folder is None:
        return make()
    return kept_text(folder / f"vega-{version('vl-convert-python')}.js", make)


def kept_text(path: Path, make: Callable[[], str]) -> str:
    """The text kept at `path`, below its checksum; made, and kept if that can be, if it is not."""
    with suppress(OSError, UnicodeDecodeError):
        checksum, _, script = path.read_text(encoding="utf-8").partition("\n")
        if checksum == sha256(script):
            return script
    script = make()
    with suppress(OSError):
        write_text(path, f"{sha256(script)}\n{script}")
    return script


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
