"""The one exception that stands for a user's mistake, and the help that its sentence may give."""

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """What was wrong, where, and what is allowed, in one sentence; printed without a traceback."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint at the closest known name, to be put after a misspelt one; empty if none is close."""
    close = difflib.get_close_matches(name, list(known), 1)
    return f" (did you mean {close[0]}?)" if close else ""
