"""The one exception that stands for a user's mistake."""


class UserError(Exception):
    """What was wrong, where, and what is allowed, in one sentence; printed without a traceback."""
