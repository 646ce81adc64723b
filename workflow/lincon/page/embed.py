"""Putting data into HTML so that nothing in it can be taken for HTML."""

from __future__ import annotations

import base64
import gzip
import json
import math
from typing import Any

import numpy as np
import pandas as pd

DIGITS = 6


def packed(value: Any) -> str:
    """JSON, compressed, in base 64: a third of the size, and no character that HTML knows.

    The same value gives the same text.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def columns(frame: pd.DataFrame) -> dict[str, list[Any]]:
    """A frame as lists, one a column; what is no number becomes null."""
    return {str(name): [plain(x) for x in frame[name].tolist()] for name in frame}


def plain(value: Any) -> Any:
    """A value as JSON has it: six digits are more than an eye can read off a chart."""
    if value is None or value is pd.NA:
        return None
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return float(f"{number:.{DIGITS}g}") if math.isfinite(number) else None
    return str(value)


def data_uri(content: bytes, kind: str) -> str:
    """A file as an address that holds it; `kind` is its media type."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"
