"""The range of numbers in which the engines are tested against each other, up to its edges.

A mean, a value, a floor or a parameter is exactly 0, or at least SMALLEST. Below it products and
quotients of such numbers leave the range of floats, where arithmetic is no longer what it says.
"""

from numbers import Real

SMALLEST = 1e-12
# Means, values and floors end at 1; a parameter of a policy that has no other bound ends here.
LARGEST = 1e12


def supported(number: float) -> bool:
    return number == 0 or SMALLEST <= abs(number) <= LARGEST


def proper(number: object) -> bool:
    """A number, and not a truth value, that is supported."""
    given = isinstance(number, Real) and not isinstance(number, bool)
    return given and supported(number)  # type: ignore[arg-type]
